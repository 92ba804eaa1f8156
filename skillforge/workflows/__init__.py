"""What takes several stages: verbs that the command line and agents share."""
