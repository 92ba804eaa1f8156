# Reads a table.rows = []
