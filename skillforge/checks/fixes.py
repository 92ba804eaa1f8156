"""Fix findings that have only one right solution.

A fixer takes the text of a SKILL.md and the line of a finding. It returns the fixed
text, or None if a person has to decide.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from skillforge.checks import Ruleset
from skillforge.checks.rules import specification
from skillforge.document import parse
from skillforge.document.edit import remove_field, scalar, set_field
from skillforge.errors import RequestError
from skillforge.library import replace_file
from skillforge.model import SKILL_FILE, Document, Profile, Skill
from skillforge.text import lines_of

_MOST_STEPS = 1000
_ENTRY = re.compile(r"(\s*(?:- +)?[\w.-]+:[ \t]+|\s*- +)(\S.*)")
_FIELD_LINE = re.compile(r"[\w-]+:(?:\s|$)|[ \t]+\S|- ")
_LIKE_A_KEY = re.compile(r"[\w-]+:(?:\s|$)|- ")
_TOOL = re.compile(r"[^\s,()]+(?:\([^()]*\))?")


class FixedSkill(NamedTuple):
    """A SKILL.md before and after, and the rules whose findings were fixed."""

    before: bytes
    after: bytes
    rules: tuple[str, ...]


class Fix(NamedTuple):
    """A file that was or can be fixed: the rules, and the diff."""

    path: str
    rules: tuple[str, ...]
    diff: str


def fix_one(folder: Path, skill: Skill, ruleset: Ruleset, write: bool) -> Fix | None:
    """Fix one skill on disk; without `write`, only return the diff."""
    fixed = fix_document(skill, ruleset)
    if fixed is None:
        return None
    if write:
        replace_file(folder / SKILL_FILE, fixed.after)
    path = f"{skill.path}/{SKILL_FILE}"
    return Fix(path, fixed.rules, _diff(path, fixed))


def _diff(path: str, fixed: FixedSkill) -> str:
    import difflib

    before, after = (lines_of(data.decode()) for data in fixed[:2])
    old, new = (f"{side}/{path.lstrip('/')}" for side in "ab")
    lines = difflib.unified_diff(before, after, old, new, lineterm="")
    return "\n".join(lines)


def fix_document(skill: Skill, ruleset: Ruleset) -> FixedSkill | None:
    """Fix a SKILL.md as far as possible; None if nothing can be fixed."""
    if skill.document is None or not skill.document.text:
        return None
    before = text = skill.document.text
    rules: list[str] = []
    while step := _next_step(skill, text, ruleset):
        text, rule = step
        rules.append(rule)
        if len(rules) > _MOST_STEPS:
            return None
    if text == before or not _others_agree(text):
        return None
    return FixedSkill(before.encode(), text.encode(), tuple(dict.fromkeys(rules)))


def _next_step(skill: Skill, text: str, ruleset: Ruleset) -> tuple[str, str] | None:
    document = parse(text.encode())
    for finding in ruleset.check(replace(skill, document=document)):
        if finding.rule == "field-unknown" and ruleset.profile is Profile.SPEC:
            continue  # only the portable profile asks to move it
        if fixer := _FIXERS.get(finding.rule):
            fixed = fixer(text, finding.line, document)
            if fixed is not None and fixed != text:
                return fixed, finding.rule
    return None


def _others_agree(text: str) -> bool:
    """Whether an independent parser reads the fixed file as we do.

    A file that is still broken stays as it is: a partial fix may hide the cause.
    """
    import frontmatter
    import yaml

    document = parse(text.encode())
    if not document.readable:
        return False
    try:
        post = frontmatter.loads(text)
    except (yaml.YAMLError, ValueError, TypeError):
        return False
    return post.metadata.keys() == document.fields.keys() and all(
        value == document.fields[key]
        for key, value in post.metadata.items()
        if isinstance(value, str)
    )


def _without_bom(text: str, _line: int, _doc: Document) -> str | None:
    return text.removeprefix("\ufeff")


def _without_leading_space(text: str, _line: int, _doc: Document) -> str | None:
    return text.lstrip()


def _out_of_code_fence(text: str, _line: int, _doc: Document) -> str | None:
    first, _, rest = text.lstrip().partition("\n")
    match = re.match(r"`{3,}|~{3,}", first)
    *inner, last = rest.rstrip().split("\n")
    if match is None or not inner or not inner[0].startswith("---"):
        return None
    # With a second fence like it inside, it may not enclose the whole file.
    if last.strip() != match[0] or any(line.startswith(match[0]) for line in inner):
        return None
    return "".join(f"{line}\n" for line in inner)


def _with_fences(text: str, _line: int, _doc: Document) -> str | None:
    lines = text.lstrip().splitlines(keepends=True)
    end = next((i for i, line in enumerate(lines) if not line.strip()), len(lines))
    below = next((line for line in lines[end:] if line.strip()), "")
    if not _is_header(lines[:end]) or _FIELD_LINE.match(below):
        return None
    fence = "---\r\n" if lines[0].endswith("\r\n") else "---\n"
    return "".join([fence, *lines[:end], fence, *lines[end:]])


def _exact_fence(text: str, line: int, _doc: Document) -> str | None:
    old = _line(text, line).strip()
    if line == 1 and re.match(r"---\s*[\w-]+:\s", old):
        return _with_line(text, line, "---\n" + old[3:].lstrip())
    if set(old) != {"-"} or (
        line > 1 and not _is_header(text.split("\n")[1 : line - 1])
    ):
        return None
    return _with_line(text, line, "---")


def _is_header(lines: list[str]) -> bool:
    """Whether lines are known fields only, without blocks of text."""
    names = {line.partition(":")[0] for line in lines if not line[:1].isspace()}
    blocks = any(re.search(r":\s+[|>][+-]?\s*$", line) for line in lines)
    fields = all(map(_FIELD_LINE.match, lines))
    return (
        fields
        and not blocks
        and {"name", "description"} <= names <= specification.KNOWN_FIELDS
    )


def _fence_without_spaces(text: str, line: int, _doc: Document) -> str | None:
    return _with_line(text, line, "---")


def _spaces_for_tabs(text: str, line: int, _doc: Document) -> str | None:
    old, above = _line(text, line), _line(text, line - 1).replace("\t", "  ")
    new = old[: _margin(old)].replace("\t", "  ") + old.lstrip()
    beside = _margin(above) == _margin(new) and _LIKE_A_KEY.match(above.strip())
    if not beside and not above.rstrip().endswith(":"):
        return None  # it would continue the value above
    return _with_line(text, line, new)


def _text_below_sign(text: str, line: int, _doc: Document) -> str | None:
    match = re.match(r"(\s*)([\w-]+:[ \t]+[|>][+-]?)[ \t]+(\S.*)", _line(text, line))
    if match is None or re.search(r"\s#", match[3]):
        return None
    following = _line(text, line + 1)
    margin = following[: _margin(following)]
    if len(margin) <= len(match[1]):
        if re.match(r"[=\d]", match[3]):
            return None  # `> 3.10` means "more than"
        margin = match[1] + "  "
    return _with_line(text, line, f"{match[1]}{match[2]}\n{margin}{match[3].rstrip()}")


def _quoted(text: str, line: int, _doc: Document) -> str | None:
    """Put quotes around a value, which may span several lines."""
    lines = text.split("\n")
    first = _key_line(lines, line - 1)
    match = _ENTRY.fullmatch(lines[first].rstrip("\r"))
    if match is None:
        return None
    end = "\r" if lines[first].endswith("\r") else ""
    last = first
    while last + 1 < len(lines) and _goes_on(lines[first], lines[last + 1]):
        last += 1
    more = [part.strip() for part in lines[first + 1 : last + 1]]
    parts = [match[2].rstrip(), *more]
    if any(re.search(r"(?:^|\s)#", part) for part in parts):
        return None  # the end of the line may be a comment
    if any(map(_LIKE_A_KEY.match, more)):
        return None  # what goes on may be a field of its own
    written = " ".join(parts)
    style = "" if '"' not in written and "\\" not in written else "'"
    quoted = scalar(written, style) if style else f'"{written}"'
    lines[first : last + 1] = [match[1] + quoted + end]
    return "\n".join(lines)


def _goes_on(first: str, line: str) -> bool:
    """Whether a line is indented deeper than the line where its value starts."""
    return bool(line.strip()) and _margin(line) > _margin(first)


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def _key_line(lines: list[str], index: int) -> int:
    while index > 1 and lines[index][:1].isspace() and not _ENTRY.match(lines[index]):
        index -= 1
    if lines[index][:1].isspace() and _starts_value(lines, index):
        return _key_line(lines, index - 1)
    return index


def _starts_value(lines: list[str], index: int) -> bool:
    """Whether an indented line continues the value above, as prose does."""
    above = _ENTRY.match(lines[index - 1])
    return index > 1 and above is not None and not lines[index - 1][:1].isspace()


def _tools_as_text(text: str, line: int, doc: Document) -> str | None:
    tools = doc.fields["allowed-tools"]
    if not isinstance(tools, list) or _has_comment(text, line, doc):
        return None
    if not all(isinstance(tool, str) and _TOOL.fullmatch(tool) for tool in tools):
        return None
    return _edited(set_field, text, ("allowed-tools",), " ".join(map(str, tools)))


def _under_metadata(text: str, line: int, doc: Document) -> str | None:
    name = next(key for key in doc.fields if doc.lines.get(key) == line)
    value = doc.fields[name]
    metadata = doc.fields.get("metadata", {})
    if not isinstance(value, str) or not isinstance(metadata, dict) or name in metadata:
        return None
    if specification.probably_meant(name) or _has_comment(text, line, doc):
        return None
    moved = _edited(set_field, text, ("metadata", name), value)
    return moved and _edited(remove_field, moved, (name,))


def _has_comment(text: str, line: int, doc: Document) -> bool:
    """Whether the lines of the field at this line contain a comment."""
    later = [at for name, at in doc.lines.items() if at > line and "." not in name]
    closing = text.count("\n", 0, len(text[: doc.body_start].rstrip())) + 1
    end = min(later, default=closing)
    return any("#" in part for part in text.split("\n")[line - 1 : end - 1])


def _as_text(text: str, line: int, doc: Document) -> str | None:
    path = next(key for key in doc.kinds if doc.lines.get(key) == line)
    field, _, rest = path.partition(".")
    value = doc.metadata(rest) if rest else doc.words(field)
    return (
        _edited(set_field, text, (field, rest) if rest else (field,), value)
        if value
        else None
    )


def _edited(edit: Callable[..., str], *args: object) -> str | None:
    try:
        return edit(*args)
    except RequestError:
        return None


def _line(text: str, line: int) -> str:
    lines = text.split("\n")
    return lines[line - 1].rstrip("\r") if line <= len(lines) else ""


def _with_line(text: str, line: int, new: str) -> str:
    lines = text.split("\n")
    end = "\r" if lines[line - 1].endswith("\r") else ""
    lines[line - 1] = new.replace("\n", end + "\n") + end
    return "\n".join(lines)


_FIXERS: dict[str, Callable[[str, int, Document], str | None]] = {
    "encoding-bom": _without_bom,
    "frontmatter-after-blank": _without_leading_space,
    "frontmatter-in-code-fence": _out_of_code_fence,
    "frontmatter-without-fences": _with_fences,
    "fence-inexact": _exact_fence,
    "fence-spaces": _fence_without_spaces,
    "yaml-tab": _spaces_for_tabs,
    "yaml-block-text": _text_below_sign,
    "yaml-colon": _quoted,
    "yaml-leading-star": _quoted,
    "yaml-leading-sign": _quoted,
    "yaml-braces": _quoted,
    "yaml-text-after-bracket": _quoted,
    "allowed-tools-text": _tools_as_text,
    "field-unknown": _under_metadata,
    "value-quoted": _as_text,
}
FIXABLE = frozenset(_FIXERS)
