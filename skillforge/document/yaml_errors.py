"""The ways in which a header is not YAML that a skill may use, with manual pages."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillforge.model import RuleProblem, rule, rules_in


class Suspect(NamedTuple):
    """A line that may be the cause, and what libyaml said."""

    text: str
    line: int
    key: str
    value: str
    complaint: str

    def quote_hint(self) -> str:
        written = f"{self.key}: " if self.key else "- "
        return f'put the whole value in quotes: `{written}"…"`'


@rule()
def yaml_conflict_marker(header: str) -> Iterator[RuleProblem]:
    """The header holds no conflict markers of an unfinished merge.

    Choose one side, and remove the lines that start with `<<<<<<<`, `=======` and
    `>>>>>>>`.
    """
    for number, text in enumerate(header.split("\n"), 2):
        if text.startswith(("<<<<<<<", ">>>>>>>")) or text.rstrip() == "=======":
            yield RuleProblem(
                "the merge was not finished: a conflict marker is left",
                "keep one side and remove the <<<<<<<, ======= and >>>>>>> lines",
                number,
            )
            return


@rule()
def yaml_tab(at: Suspect) -> Iterator[RuleProblem]:
    """YAML is indented with spaces; a tab is not allowed.

    Editors show both alike. Replace each tab by two spaces.
    """
    margin = at.text[: len(at.text) - len(at.text.lstrip())]
    if "\t" in margin:
        yield RuleProblem(
            "the line is indented with a tab, which YAML does not allow",
            "indent with two spaces instead",
            at.line,
        )


@rule()
def yaml_block_text(at: Suspect) -> Iterator[RuleProblem]:
    """After `|` or `>` the text starts on the next line.

        description: >
          Reads tables from PDF files. Use when ...

    `|` keeps line breaks, `>` folds them to spaces. Text on the same line as the sign
    is the most frequent YAML error in published skills.
    """
    if re.match(r"[|>][+-]?\d?[+-]?\s+[^#\s]", at.value):
        yield RuleProblem(
            f"text follows `{at.value[0]}` on the same line",
            f"start the text on the next line, indented by two spaces, or drop the "
            f"`{at.value[0]}` and quote the text",
            at.line,
        )


@rule()
def yaml_leading_star(at: Suspect) -> Iterator[RuleProblem]:
    """A value that starts with `*` needs quotes: YAML reads `*` as an alias.

    paths: "*.md"
    """
    if at.value.startswith("*"):
        yield RuleProblem("the value starts with `*`", at.quote_hint(), at.line)


@rule()
def yaml_leading_sign(at: Suspect) -> Iterator[RuleProblem]:
    """A value that starts with `@`, a backtick or `%` needs quotes.

    YAML reserves these signs at the start of a value: `author: "@someone"`.
    """
    if at.value[:1] in ("@", "`", "%"):
        sign = at.value[0]
        yield RuleProblem(f"the value starts with {sign!r}", at.quote_hint(), at.line)


@rule()
def yaml_braces(at: Suspect) -> Iterator[RuleProblem]:
    """A value that starts with `{{` needs quotes: YAML reads `{` as a mapping.

    A placeholder that a template tool was to fill in is often simply left over.
    """
    if at.value.startswith("{{"):
        yield RuleProblem(
            "the value starts with `{{`: an unquoted or unfilled placeholder",
            f"fill it in, or {at.quote_hint()}",
            at.line,
        )


@rule()
def yaml_escape(at: Suspect) -> Iterator[RuleProblem]:
    r"""In double quotes a backslash starts an escape such as `\n` or `\"`.

    For a backslash that stands for itself, use single quotes: `'C:\temp'`, `'\d+'`.
    """
    if "escape" in at.complaint or "hexdecimal" in at.complaint:
        yield RuleProblem(
            "a backslash in double quotes starts an escape that YAML does not know",
            r"use single quotes, or write `\\` for one backslash",
            at.line,
        )


@rule()
def yaml_unclosed(at: Suspect) -> Iterator[RuleProblem]:
    """What is opened is closed: quotes, `[` and `{`.

    `name: [draft` and `description: "Reads tables` never end.
    """
    opener = at.value[:1]
    closer = {'"': '"', "'": "'", "[": "]", "{": "}"}.get(opener)
    if closer and closer not in at.value[1:]:
        yield RuleProblem(
            f"`{opener}` is opened and never closed",
            f"close it with `{closer}`, or {at.quote_hint()}",
            at.line,
        )


@rule()
def yaml_inner_quotes(at: Suspect) -> Iterator[RuleProblem]:
    """Quotes inside a quoted value are escaped.

    Write `'Use for "quick" jobs'` or `"Use for \\"quick\\" jobs"`; in single quotes an
    apostrophe is doubled: `'it''s'`.
    """
    if at.value[:1] in ("'", '"') and at.value.count(at.value[0]) > 2:
        yield RuleProblem(
            "the value goes on after its closing quote: inner quotes are not escaped",
            "use the other kind of quote around the value, or escape the inner ones",
            at.line,
        )


@rule()
def yaml_text_after_bracket(at: Suspect) -> Iterator[RuleProblem]:
    """Nothing follows the closing bracket of a list or mapping on its line.

    `argument-hint: [file] [format]` is meant as text, so it needs quotes:
    `argument-hint: "[file] [format]"`.
    """
    if re.match(r"\[[^\[\]]*\]\s*[^\s#]|\{[^{}]*\}\s*[^\s#]", at.value):
        yield RuleProblem("text follows a closing bracket", at.quote_hint(), at.line)


@rule()
def yaml_colon(at: Suspect) -> Iterator[RuleProblem]:
    """A value that contains a colon and a space needs quotes.

    `description: Use this when: ...` reads like a second key. Quotes end the doubt:
    `description: "Use this when: ..."`.
    """
    plain = at.value if at.key else at.text.strip()
    if plain[:1] not in ("'", '"', "[", "{") and re.search(r":(\s|$)", plain):
        yield RuleProblem("an unquoted value contains `: `", at.quote_hint(), at.line)


@rule()
def yaml_indentation(at: Suspect) -> Iterator[RuleProblem]:
    """Keys of one mapping start in the same column.

    Top-level keys start in column 1; the entries of `metadata` all have the same
    indent.
    """
    if at.text[:1].isspace() and at.key:
        yield RuleProblem(
            f"`{at.key}` is indented differently from the keys around it",
            "let keys of the same level start in the same column",
            at.line,
        )


@rule()
def yaml_stray_text(at: Suspect) -> Iterator[RuleProblem]:
    """A line is a key with a value, or it is indented under one.

    Text that continues a value on the next line is indented by two spaces, else YAML
    takes it for a new key.
    """
    if at.text.strip() and not at.text[:1].isspace() and not at.key:
        yield RuleProblem(
            "the line is neither `key: value` nor indented under one",
            "indent it by two spaces if it continues the value above; if it is the "
            "body, close the header above it with `---`",
            at.line,
        )


@rule()
def yaml_syntax(at: Suspect) -> Iterator[RuleProblem]:
    """The header is YAML.

    The message is the parser's own. Quoting the value on the line that it names helps
    most often.
    """
    yield RuleProblem(f"not YAML: {at.complaint}", at.quote_hint(), at.line)


@rule()
def yaml_control_character(line: int, code: int) -> Iterator[RuleProblem]:
    """The header holds no control characters; YAML refuses them.

    They come in by copying from terminals and PDF files, and no editor shows them.
    """
    yield RuleProblem(
        f"the header contains the control character U+{code:04X}",
        "remove it; retyping the line is the easiest way",
        line,
    )


@rule()
def yaml_anchor(line: int) -> Iterator[RuleProblem]:
    """The header uses no anchors (`&a`) and aliases (`*a`).

    Few clients read them, and they are the stuff of documents that explode when read.
    """
    yield RuleProblem(
        "anchors and aliases are not allowed",
        "write the value out; if the `&` or `*` is text, quote the value",
        line,
    )


@rule()
def yaml_tag(line: int) -> Iterator[RuleProblem]:
    """The header uses no tags (`!!str`, `!custom`).

    All values of a skill are text already, and tags can make other readers build
    objects.
    """
    yield RuleProblem(
        "tags such as `!!str` are not allowed",
        "remove the tag; if the `!` is text, quote the value",
        line,
    )


@rule()
def yaml_duplicate_key(key: str, line: int, first: int) -> Iterator[RuleProblem]:
    """Each key stands once.

    Of two equal keys some clients take the first, some the last, and some none.
    """
    yield RuleProblem(
        f"`{key}` is already set in line {first}", "remove one of them", line
    )


@rule()
def yaml_key(line: int) -> Iterator[RuleProblem]:
    """A key is plain text: not a list, not a mapping, and not the merge sign `<<`."""
    yield RuleProblem("a key must be text", "write a word, or quote it", line)


@rule()
def yaml_depth(line: int) -> Iterator[RuleProblem]:
    """Values are nested at most 20 deep."""
    yield RuleProblem(
        "the value is nested too deeply", "move it to a file of its own", line
    )


@rule()
def frontmatter_mapping(kind: str) -> Iterator[RuleProblem]:
    """The frontmatter is a mapping: lines of `key: value`.

    A list, a single text or an empty header has no `name` and `description`.
    """
    yield RuleProblem(
        f"the frontmatter is {kind}, not a mapping",
        "write `name: …` and `description: …` between the two `---` lines",
        2,
    )


@rule()
def frontmatter_single(line: int) -> Iterator[RuleProblem]:
    """The frontmatter is one YAML document.

    A line of `...` or a second `---` ends it early.
    """
    yield RuleProblem("the YAML document ends here", "remove the line", line)


RULES = rules_in(globals())
