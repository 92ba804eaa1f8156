"""What main's log records: steps, versions, lineage, and the audit of all of it."""
