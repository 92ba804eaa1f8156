"""Units of time in seconds, as policies and records count it."""

DAY = 86_400
