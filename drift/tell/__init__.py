"""Step 4, telling: findings, facts and progress, for a person to read."""
