"""The same verbs for agents: read every promoted skill, and only ever propose."""
