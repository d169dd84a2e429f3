"""Step 5, accepting: writing what a run gave into the records and into the prose."""
