"""What MkDocs calls while it builds the site; each module marks up HTML and judges nothing that the check can."""
