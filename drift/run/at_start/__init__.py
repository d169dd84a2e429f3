"""A folder for `PYTHONPATH`: what Python imports by itself when it starts."""
