# Reads a table.
rows = []

more = []

last = '\r'
