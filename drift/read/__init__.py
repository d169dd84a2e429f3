"""Step 1, reading: snippets, pages and notebooks as the author wrote them, before anything is judged.

Knows Markdown and Python source; runs nothing.
"""
