# Reads a table.rows = []
