"""Rules beyond the specification, for skills that all clients accept."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from operator import attrgetter

from skillforge.checks.rules.client_fields import is_for_other_clients
from skillforge.checks.rules.file_layout import parents
from skillforge.checks.rules.specification import name_of
from skillforge.model import (
    Document,
    Link,
    Profile,
    RuleProblem,
    Severity,
    Skill,
    rule,
    rules_in,
)
from skillforge.resources import schema
from skillforge.text import UNSEEN_BREAK, code_blocks, in_any

_FIELDS = schema("skill.portable.schema.json")["properties"]
NAME_MIN = int(_FIELDS["name"]["minLength"])
_NAME = re.compile(_FIELDS["name"]["pattern"].removesuffix("$"), re.ASCII)
RESERVED = re.compile(_FIELDS["name"]["not"]["pattern"])
LEFTOVERS = frozenset(  # the entries of installers
    next(iter(key["required"])) for key in _FIELDS["metadata"]["not"]["anyOf"]
)
MOST_LINKS = 20  # findings on links; more of the same do not help
_PLACEHOLDER = re.compile(
    r"[*…\[]|\.\.\.|NAME|YYYY|\b(?:file|script)_?name\b|\b(?:your|my)[_-]|\bfoo\b"
)
_EXAMPLE = re.compile(
    r"\b(?:examples?|e\.g\.|such as|for instance|would|could|might)\b", re.IGNORECASE
)
_REFERRAL = re.compile(
    r"(?:^[ \t]*(?:[-*+]|\d+\.)|\b(?:see|read|refer to|load|open|consult|run))[ \t]+"
    r"[^\w\s]{0,4}(?:(?:python3?|bash|sh|node)[ \t]+)?\Z",
    re.IGNORECASE,
)
_ASCII = bytes(range(128))
_USUAL = bytes((9, 10, *range(32, 127), *range(128, 256)))  # all but controls
# Zero-width and joining characters, bidi marks, embeddings, overrides and isolates,
# fillers, annotations, a BOM inside the text, tags, and the variation selectors that
# emoji do not use.
_SUSPECT = re.compile(
    "[\x80-\x9f\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069"
    "\u3164\ufeff\ufff9-\ufffb\U000e0001-\U000e007f\U000e0100-\U000e01ef]"
)
# Legitimate uses: the flags of England, Scotland and Wales; joiners, except between
# Latin letters; direction marks in a text with right-to-left letters.
_FLAG = re.compile("\U0001f3f4\U000e0067\U000e0062[\U000e0061-\U000e007a]{3}\U000e007f")
_JOINER = re.compile("(?<![A-Za-z])[\u200c\u200d]|[\u200c\u200d](?![A-Za-z])")
_MARK = re.compile("[\u061c\u200e\u200f]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")


@rule(profile=Profile.PORTABLE)
def name_portable(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A name has 3 to 64 characters of `a-z`, `0-9` and hyphens.

    The specification allows letters of all scripts, but `gh skill`, hubs and most
    clients do not, and ClawHub requires at least three characters.
    """
    name = doc.words("name")
    has_odd_sign = any(not (c.isalnum() or c == "-") for c in name_of(doc))
    if has_odd_sign:
        return  # `name-characters` reports it
    if name.strip() and not (len(name) >= NAME_MIN and _NAME.fullmatch(name)):
        yield RuleProblem(
            f"the name {name!r} must have 3 to 64 characters: a-z, 0-9 and -",
            "choose an ASCII name, and rename the folder as well",
            doc.line_of("name"),
        )


@rule(Severity.WARNING, Profile.PORTABLE)
def name_reserved(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A name contains neither `claude` nor `anthropic`: claude.ai refuses it.

    Not reported if claude.ai refuses the skill anyway, for its fields.
    """
    match = RESERVED.search(name_of(doc).lower())
    if match and not is_for_other_clients(doc):
        yield RuleProblem(
            f"claude.ai refuses a name with the reserved word `{match[0]}`",
            "name the skill after what it does",
            doc.line_of("name"),
        )


@rule(Severity.WARNING, Profile.PORTABLE)
def value_quoted(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A value that looks like a number, a boolean, a date or null is quoted.

    Parsers disagree on the type of `1.10`, `yes` or `2026-01-01`. In quotes, it is text
    to all of them: `version: "1.10"`.
    """
    for path, kind in doc.kinds.items():
        field, _, rest = path.partition(".")
        if field in _FIELDS and not (field == "metadata" and "." in rest):
            value = doc.metadata(rest) if rest else doc.words(field)
            line = doc.line_of(path)
            if value:
                hint = f'quote it: `{rest or field}: "{value}"`'
                yield RuleProblem(f"`{path}` is a {kind} to some clients", hint, line)
            else:
                yield RuleProblem(
                    f"`{path}` is empty", "fill it in, or remove it", line
                )


@rule(Severity.WARNING, Profile.PORTABLE)
def description_brackets(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """A description contains no `<` and `>`.

    Agents put it between XML tags in the system prompt. claude.ai refuses tags, and the
    packaging scripts of Anthropic and OpenAI refuse all brackets. Not reported if they
    refuse the skill anyway, for its fields.
    """
    description = doc.words("description")
    has_bracket = "<" in description or ">" in description
    if has_bracket and not is_for_other_clients(doc):
        yield RuleProblem(
            "the description contains `<` or `>`, which the packaging scripts for "
            "claude.ai and Codex refuse",
            "write it in words: `NAME` for `<name>`, `to` for `->`",
            doc.line_of("description"),
        )


@rule(profile=Profile.PORTABLE)
def installer_leftovers(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """`metadata` contains no entries that an installer wrote into its copy.

    `gh skill install` adds `github-repo`, `github-ref`, `github-tree-sha`,
    `github-path`, `github-pinned` or `local-path`; publishing a skill that has them is
    refused.
    """
    metadata = doc.fields.get("metadata")
    for key in metadata if isinstance(metadata, dict) else ():
        if key in LEFTOVERS:
            yield RuleProblem(
                f"`metadata.{key}` was left by an installer",
                "remove the line",
                doc.line_of(f"metadata.{key}"),
            )


FIELD_RULES = rules_in(globals())


@rule(profile=Profile.PORTABLE)
def link_target(skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """The files that SKILL.md links to exist.

    Links are relative to the skill's folder.
    """
    links = _dead(skill, doc, [link for link in doc.links if link.is_markdown])
    for target, offset, _is_markdown in links[:MOST_LINKS]:
        yield RuleProblem(
            f"{target} does not exist in the skill",
            "add the file, or correct the path",
            doc.line_at(offset),
        )


@rule(Severity.WARNING, Profile.PORTABLE)
def path_target(skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """The files that SKILL.md names by path exist.

    A path counts if it starts with a folder of the skill, and if it begins an item of a
    list or follows a word such as "see", "read" or "run". In code blocks, which may
    show other projects, it has to be in `scripts/` or `references/`. Examples and
    placeholders don't count.
    """
    links = _dead(skill, doc, [link for link in doc.links if not link.is_markdown])
    for target, offset, _is_markdown in links[:MOST_LINKS]:
        yield RuleProblem(
            f"names {target}, which does not exist in the skill",
            "add the file, or correct the path",
            doc.line_at(offset),
        )


@rule(Severity.NOTE, Profile.PORTABLE)
def link_outside(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """Links don't lead out of the skill's folder.

    Installers copy one folder; the file that `../other/SKILL.md` names stays behind.
    """
    outside = [link for link in doc.links if _is_outside(link)]
    if outside:
        target, offset, _is_markdown = outside[0]
        more = f" and {len(outside) - 1} more" if len(outside) > 1 else ""
        yield RuleProblem(
            f"links lead out of the skill, to {target}{more}; they break when the "
            "skill is installed alone",
            "name other skills in words as well",
            doc.line_at(offset),
        )


def _is_outside(link: Link) -> bool:
    return link.is_markdown and posixpath.normpath(link.target).startswith("..")


def dead_links(skill: Skill, doc: Document) -> list[Link]:
    """Links to missing files in order, without repeated targets."""
    return _dead(skill, doc, doc.links)


def _dead(skill: Skill, doc: Document, links: Sequence[Link]) -> list[Link]:
    paths = {posixpath.normpath(link.target): link for link in reversed(links)}
    missing = [link for path, link in paths.items() if path not in skill.files]
    if not missing:
        return []
    folders = {".", *(parent for file in skill.files for parent in parents(file))}
    code = code_blocks(doc.text)
    dead = (link for link in missing if _is_dead(link, folders, code, doc))
    return sorted(dead, key=attrgetter("offset"))


def _is_dead(
    link: Link, folders: set[str], code: list[tuple[int, int]], doc: Document
) -> bool:
    """Whether a missing file of the skill is not a folder, a pattern or an example."""
    target = link.target
    if _PLACEHOLDER.search(target) or _is_outside(link):
        return False
    if posixpath.normpath(target) in folders:
        return False
    if link.is_markdown:
        return True
    is_code = in_any(link.offset, code)
    if target.partition("/")[0] not in folders:
        return False
    if is_code:
        return target.startswith(("scripts/", "references/"))
    line = doc.line_around(link.offset)
    before = doc.text[max(0, link.offset - 80) : link.offset].rpartition("\n")[2]
    return bool(_REFERRAL.search(before)) and not _EXAMPLE.search(line)


@rule(Severity.WARNING, Profile.PORTABLE)
def hidden_characters(_skill: Skill, doc: Document) -> Iterator[RuleProblem]:
    """The text contains no characters that are invisible to a reviewer.

    Zero-width, bidirectional and tag characters show nothing, or change the order in
    which text appears. Joiners are allowed in emoji and in scripts that need them.
    Control characters and unusual line breaks make a diff misleading.
    """
    if has_hidden(doc):
        # Legitimate ones are replaced by spaces, which keeps all offsets.
        text = _FLAG.sub(lambda flag: " " * len(flag[0]), doc.text)
        text = _JOINER.sub(" ", text)
        if _RIGHT_TO_LEFT.search(text):
            text = _MARK.sub(" ", text)
        if match := UNSEEN_BREAK.search(text) or _SUSPECT.search(text, 1):
            yield RuleProblem(
                f"contains the invisible character U+{ord(match[0]):04X}",
                "remove it",
                doc.line_at(match.start()),
            )


def has_hidden(doc: Document) -> bool:
    """Whether the text may contain an invisible character other than a leading BOM."""
    if doc.data.translate(None, _USUAL) and UNSEEN_BREAK.search(doc.text):
        return True
    if doc.text.isascii():
        return False
    # Without ASCII, there is little left to search in most texts.
    beyond = doc.data.translate(None, _ASCII).decode()
    return _SUSPECT.search(beyond, beyond[0] == "\ufeff") is not None


BODY_RULES = rules_in(globals())[len(FIELD_RULES) :]
