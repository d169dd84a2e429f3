"""Step 2, running: each snippet in a process of its own, watched, and only when its result is not known yet."""
