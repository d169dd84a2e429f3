"""Checks for the labs: each says whether a reader's answer is right and, if not, which property broke."""
