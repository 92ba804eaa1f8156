// Reads a table. rows = []
