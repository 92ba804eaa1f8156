"""README.md with its table of commands."""

import re

from skillforge.cli import COMMANDS
from tests.docs.page_parser import ROOT
from tests.docs.reference.markdown import code, table

FILE = ROOT / "README.md"
_HEAD = ("stage", "commands")
_TABLE = re.compile(r"(?m)^\| stage \| commands \|\n(?:\|.*\n)+")


def render() -> str:
    """The README, with the commands of today."""
    rows = [(stage, " ".join(map(code, names))) for stage, names in COMMANDS.items()]
    text = FILE.read_text(encoding="utf-8")
    return _TABLE.sub(lambda _old: f"{table(_HEAD, rows)}\n", text)
