"""Texts, tokens, vocabularies and data sets."""
