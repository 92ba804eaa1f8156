"""Half an hour of everything at once on one library, and a model that has to agree."""
