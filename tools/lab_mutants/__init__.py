"""Wrong answers to the labs, made by changing the solutions, and how many of them the checks refuse for what reason."""
