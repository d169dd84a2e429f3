"""Records: what was accepted of a snippet, in files that a person reads in a diff."""
