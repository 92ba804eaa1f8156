"""Main in, proposals out: use, canary, health, refine, curate."""
