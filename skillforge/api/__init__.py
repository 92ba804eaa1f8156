"""Skillforge for programs: what the commands do, with values in and values out.

A problem with a skill is a value (`report.ok`); what stops a command is a
`SkillforgeError` with a hint, as on the command line.
"""

from skillforge.api.library import Library as Library
