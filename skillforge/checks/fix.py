"""Mend what has one right answer, and nothing else.

Each mender takes the text of a SKILL.md and the line of a finding, and returns the text
with that one thing mended, or None where a person has to decide.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from skillforge.checks import Ruleset
from skillforge.document import parse
from skillforge.document.edit import remove_field, scalar, set_field
from skillforge.errors import RequestError
from skillforge.library import replace_file
from skillforge.model import SKILL_FILE, Document, Profile, Skill

_MOST_STEPS = 200
_ENTRY = re.compile(r"(\s*(?:- +)?[\w.-]+:[ \t]+)(\S.*)")
_FIELD_LINE = re.compile(r"[\w-]+:(?:\s|$)|\s+\S|#")


class Mended(NamedTuple):
    """A SKILL.md before and after, and the rules that it then meets."""

    before: bytes
    after: bytes
    rules: tuple[str, ...]


class Fix(NamedTuple):
    """A file that was mended, or could be: the rules that it then meets, and how."""

    path: str
    rules: tuple[str, ...]
    diff: str


def fix_one(folder: Path, skill: Skill, ruleset: Ruleset, write: bool) -> Fix | None:
    """Mend one skill on disk; with `write` off, only tell how."""
    mended = mend(skill, ruleset)
    if mended is None:
        return None
    if write:
        replace_file(folder / SKILL_FILE, mended.after)
    path = f"{skill.path}/{SKILL_FILE}"
    return Fix(path, mended.rules, _diff(path, mended))


def _diff(path: str, mended: Mended) -> str:
    import difflib

    before, after = (data.decode().splitlines() for data in mended[:2])
    lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}", lineterm="")
    return "\n".join(lines)


def mend(skill: Skill, ruleset: Ruleset) -> Mended | None:
    """Mend a SKILL.md as far as that needs no judgement; None if nothing does."""
    if skill.document is None or not skill.document.text:
        return None
    before = text = skill.document.text
    rules: list[str] = []
    for _step in range(_MOST_STEPS):
        step = _next_step(skill, text, ruleset)
        if step is None:
            break
        text, rule = step
        rules.append(rule)
    if text == before or not _others_agree(text):
        return None
    return Mended(before.encode(), text.encode(), tuple(dict.fromkeys(rules)))


def _next_step(skill: Skill, text: str, ruleset: Ruleset) -> tuple[str, str] | None:
    document = parse(text.encode())
    for finding in ruleset.check(replace(skill, document=document)):
        if finding.rule == "field-unknown" and ruleset.profile is Profile.SPEC:
            continue  # where else it may stand is a matter of the portable profile
        if mender := _MENDERS.get(finding.rule):
            mended = mender(text, finding.line, document)
            if mended is not None and mended != text:
                return mended, finding.rule
    return None


def _others_agree(text: str) -> bool:
    """Whether an independent reader takes the mended file for what we take it for."""
    import frontmatter
    import yaml

    document = parse(text.encode())
    if not document.readable:
        return True  # better than before, though there is more for a person to mend
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
    inner = rest.rstrip()
    fence = first.strip()[:3]
    if not rest.lstrip().startswith("---") or not inner.endswith("\n" + fence):
        return None
    return inner.removesuffix(fence)


def _with_fences(text: str, _line: int, _doc: Document) -> str | None:
    lines = text.lstrip().splitlines(keepends=True)
    end = next((i for i, line in enumerate(lines) if not _FIELD_LINE.match(line)), None)
    if end is None or lines[end].strip() not in ("", "---"):
        return None
    newline = "\r\n" if lines[0].endswith("\r\n") else "\n"
    rest = lines[end + 1 :] if lines[end].strip() else lines[end:]
    fence = f"---{newline}"
    return "".join([fence, *lines[:end], fence, *rest])


def _exact_fence(text: str, line: int, _doc: Document) -> str | None:
    old = _line(text, line).strip()
    if set(old) == {"-"}:
        return _with_line(text, line, "---")
    if line == 1 and re.match(r"---\s*[\w-]+:\s", old):
        return _with_line(text, line, "---\n" + old[3:].lstrip())
    return None


def _fence_without_spaces(text: str, line: int, _doc: Document) -> str | None:
    return _with_line(text, line, "---")


def _spaces_for_tabs(text: str, line: int, _doc: Document) -> str | None:
    old = _line(text, line)
    content = old.lstrip()
    margin = old[: len(old) - len(content)].replace("\t", "  ")
    return _with_line(text, line, margin + content)


def _text_below_sign(text: str, line: int, _doc: Document) -> str | None:
    match = re.match(r"(\s*[\w-]+:[ \t]+[|>][+-]?)[ \t]+(\S.*)", _line(text, line))
    if match is None:
        return None
    following = _line(text, line + 1)
    margin = following[: len(following) - len(following.lstrip())] or "  "
    return _with_line(text, line, f"{match[1]}\n{margin}{match[2].rstrip()}")


def _quoted(text: str, line: int, _doc: Document) -> str | None:
    """Put quotes around a value, over all the lines that it runs on."""
    lines = text.split("\n")
    first = _key_line(lines, line - 1)
    match = _ENTRY.fullmatch(lines[first].rstrip("\r"))
    if match is None:
        return None
    end = "\r" if lines[first].endswith("\r") else ""
    last = first
    while last + 1 < len(lines) and re.match(r"[ \t]+\S", lines[last + 1]):
        last += 1
    parts = [match[2].rstrip(), *(part.strip() for part in lines[first + 1 : last + 1])]
    if any(" #" in part or part.startswith("#") for part in parts):
        return None  # the end of the line may be a comment
    written = " ".join(parts)
    style = "" if '"' not in written and "\\" not in written else "'"
    quoted = scalar(written, style) if style else f'"{written}"'
    lines[first : last + 1] = [match[1] + quoted + end]
    return "\n".join(lines)


def _key_line(lines: list[str], index: int) -> int:
    while index > 1 and lines[index][:1].isspace() and not _ENTRY.match(lines[index]):
        index -= 1
    if lines[index][:1].isspace() and _starts_value(lines, index):
        return _key_line(lines, index - 1)
    return index


def _starts_value(lines: list[str], index: int) -> bool:
    """Whether an indented line goes on with the value above, as prose does."""
    above = _ENTRY.match(lines[index - 1])
    return index > 1 and above is not None and not lines[index - 1][:1].isspace()


def _tools_as_text(text: str, _line: int, doc: Document) -> str | None:
    tools = doc.fields["allowed-tools"]
    if not isinstance(tools, list) or not all(isinstance(t, str) and t for t in tools):
        return None
    return _edited(set_field, text, ("allowed-tools",), " ".join(map(str, tools)))


def _under_metadata(text: str, line: int, doc: Document) -> str | None:
    name = next(key for key in doc.fields if doc.lines.get(key) == line)
    value = doc.fields[name]
    metadata = doc.fields.get("metadata", {})
    if not isinstance(value, str) or not isinstance(metadata, dict) or name in metadata:
        return None
    moved = _edited(set_field, text, ("metadata", name), value)
    return moved and _edited(remove_field, moved, (name,))


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


_MENDERS: dict[str, Callable[[str, int, Document], str | None]] = {
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
FIXABLE = frozenset(_MENDERS)
