"""The pictures of README and docs, all made by the tool: `make pictures`."""
