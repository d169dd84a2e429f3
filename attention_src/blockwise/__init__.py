"""Attention block by block with an online softmax, and what it costs."""
