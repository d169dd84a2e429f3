"""Notebooks for readers: a page with its code and recorded outputs as an `.ipynb` file."""
