# Reads a table.rows = []
