"""The test cases that a skill ships, run in the sandbox."""
