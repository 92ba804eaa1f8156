"""Rules that one skill is checked against, by theme."""
