"""What in a page is prose, and which numbers and quotes stand in it; each with its offset."""
