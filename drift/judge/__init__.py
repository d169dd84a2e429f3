"""Step 3, judging: runs against records, pages against records, and what nobody uses."""
