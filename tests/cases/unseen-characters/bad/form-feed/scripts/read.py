# Reads a table.rows = []
