"""The look of this site, and what it holds beyond its numbers."""
