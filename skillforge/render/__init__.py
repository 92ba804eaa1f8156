"""Results as people and other programs read them; returns text, never prints."""
