"""The ladder: scores, weights, attention, and the checks of what callers hand in."""
