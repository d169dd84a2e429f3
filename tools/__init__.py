"""What `noxfile.py` needs and tests hold: the shared environment, the lock file, the browser.

Standard library only, because nox imports this before anything is installed.
"""
