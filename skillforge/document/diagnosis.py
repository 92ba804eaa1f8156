"""Find the likely cause of a YAML error, which libyaml reports in its own terms."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillforge.document import yaml_errors
from skillforge.document.yaml_errors import Suspect
from skillforge.model import Finding, Rule

if TYPE_CHECKING:
    import yaml

_ENTRY = re.compile(r"\s*(?:- +)?(?P<key>[\w.-]+|\"[^\"]*\"):\s+(?P<value>.*)")
_ITEM = re.compile(r"\s*- +(?P<value>.*)")

# Causes that the line itself shows, the most certain first.
_BY_LINE = (
    yaml_errors.yaml_tab,
    yaml_errors.yaml_block_text,
    yaml_errors.yaml_leading_star,
    yaml_errors.yaml_leading_sign,
    yaml_errors.yaml_braces,
    yaml_errors.yaml_escape,
    yaml_errors.yaml_unclosed,
    yaml_errors.yaml_text_after_bracket,
    yaml_errors.yaml_inner_quotes,
)
_BY_CONTEXT = (
    yaml_errors.yaml_stray_text,
    yaml_errors.yaml_colon,
    yaml_errors.yaml_indentation,
)


def syntax(header: str, err: "yaml.MarkedYAMLError") -> Finding:
    """The finding for a libyaml error, by the first rule that recognizes its cause."""
    for finding in yaml_errors.yaml_conflict_marker.findings(header):
        return finding
    lines = header.split("\n")
    suspects = list(_suspects(lines, err))
    for known in (*_BY_LINE, *_by_context(suspects[0])):
        for at in suspects:
            for finding in known.findings(at):
                return finding
    # An unclosed quote is only noticed at the next quote.
    before = max(suspects[0].line - 3, 0)
    opened = yaml_errors.yaml_unclosed.findings(suspect(lines[before], before + 2))
    return (opened or yaml_errors.yaml_syntax.findings(suspects[0]))[0]


def _by_context(at: Suspect) -> tuple[Rule, ...]:
    """Prefer wrong indentation if the line looks like a key: one word and a colon."""
    if at.text[:1].isspace() and at.key and ": " not in at.value:
        return (yaml_errors.yaml_indentation, *_BY_CONTEXT)
    return _BY_CONTEXT


def _suspects(lines: list[str], err: "yaml.MarkedYAMLError") -> Iterator[Suspect]:
    """The lines of the error and of the start of its construct, and the keys above."""
    last = len(lines) - 1
    marks = [m.line for m in (err.problem_mark, err.context_mark) if m is not None]
    if "simple key" in (err.context or "") or "end of stream" in (err.problem or ""):
        marks.reverse()
    indexes: set[int] = set()
    for mark in marks or [0]:
        above = min(mark, last)
        while above > 0 and not _is_key(lines[above]):
            above -= 1
        for index in (min(mark, last), above):
            if index not in indexes and (lines[index].strip() or index == 0):
                indexes.add(index)
                yield suspect(lines[index], index + 2, err.problem or "")


def _is_key(text: str) -> bool:
    return not text[:1].isspace() and _ENTRY.match(text) is not None


def suspect(text: str, line: int, complaint: str = "") -> Suspect:
    entry, item = _ENTRY.match(text.rstrip("\r")), _ITEM.match(text.rstrip("\r"))
    key = entry["key"] if entry else ""
    value = entry["value"] if entry else item["value"] if item else ""
    return Suspect(text, line, key, value.rstrip(), complaint)


def control_character(header: str, err: "yaml.reader.ReaderError") -> Finding:
    character = err.character
    code = character if isinstance(character, int) else ord(str(character)[:1] or "\0")
    line = header.count("\n", 0, err.position) + 2
    return yaml_errors.yaml_control_character.findings(line, code)[0]


def alias(header: str, line: int) -> Finding:
    """An alias without any anchor is text that happens to start with a star."""
    star = yaml_errors.yaml_leading_star.findings(
        suspect(header.split("\n")[line - 2], line)
    )
    return (
        star[0]
        if star and "&" not in header
        else yaml_errors.yaml_anchor.findings(line)[0]
    )


def key_not_text(header: str, line: int) -> Finding:
    at = suspect(header.split("\n")[line - 2], line)
    return (
        yaml_errors.yaml_braces.findings(at) or yaml_errors.yaml_key.findings(line)
    )[0]


def not_a_mapping(value: object) -> Finding:
    kind = "a list" if isinstance(value, list) else "a single text"
    return yaml_errors.frontmatter_mapping.findings(kind if value else "empty")[0]
