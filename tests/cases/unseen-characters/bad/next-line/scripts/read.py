# Reads a table.rows = []
