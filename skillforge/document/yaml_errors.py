"""The rules on the YAML of a header, with their manual pages."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillforge.model import RuleProblem, rule, rules_in


class Suspect(NamedTuple):
    """A line that may be the cause of an error, and libyaml's message."""

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
    """The header contains no conflict markers of an unfinished merge.

    Keep one side, and remove the lines that start with `<<<<<<<`, `=======` and
    `>>>>>>>`.
    """
    for number, text in enumerate(header.split("\n"), 2):
        if text.startswith(("<<<<<<<", ">>>>>>>")) or text.rstrip() == "=======":
            yield RuleProblem(
                "a conflict marker of an unfinished merge",
                "keep one side and remove the <<<<<<<, ======= and >>>>>>> lines",
                number,
            )
            return


@rule()
def yaml_tab(at: Suspect) -> Iterator[RuleProblem]:
    """YAML is indented with spaces, not with tabs.

    Editors show both alike. Replace each tab with two spaces.
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

    `|` keeps line breaks, `>` folds them into spaces. Text on the same line as the
    indicator is the most frequent YAML error in published skills.
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

    YAML reserves these characters at the start of a value: `author: "@someone"`.
    """
    if at.value[:1] in ("@", "`", "%"):
        sign = at.value[0]
        yield RuleProblem(f"the value starts with {sign!r}", at.quote_hint(), at.line)


@rule()
def yaml_braces(at: Suspect) -> Iterator[RuleProblem]:
    """A value that starts with `{{` needs quotes: YAML reads `{` as a mapping.

    Often it is a placeholder that a template tool did not fill in.
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

    For a literal backslash, use single quotes: `'C:\temp'`, `'\d+'`.
    """
    if "escape" in at.complaint or "hexdecimal" in at.complaint:
        yield RuleProblem(
            "a backslash in double quotes starts an unknown escape",
            r"use single quotes, or write `\\` for one backslash",
            at.line,
        )


@rule()
def yaml_unclosed(at: Suspect) -> Iterator[RuleProblem]:
    """Quotes, `[` and `{` are closed.

    `name: [draft` and `description: "Reads tables` are not.
    """
    opener = at.value[:1]
    closer = {'"': '"', "'": "'", "[": "]", "{": "}"}.get(opener)
    if closer and closer not in at.value[1:]:
        yield RuleProblem(
            f"`{opener}` is never closed",
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
            "text follows the closing quote: inner quotes are not escaped",
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

    `description: Use this when: ...` reads like a second key. Quotes avoid that:
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
            "start keys of the same level in the same column",
            at.line,
        )


@rule()
def yaml_stray_text(at: Suspect) -> Iterator[RuleProblem]:
    """A line is a key with a value, or it is indented below one.

    Text that continues a value on the next line is indented by two spaces; otherwise
    YAML reads it as a new key.
    """
    if at.text.strip() and not at.text[:1].isspace() and not at.key:
        yield RuleProblem(
            "the line is neither `key: value` nor indented below one",
            "indent it by two spaces if it continues the value above; if it is the "
            "body, close the header above it with `---`",
            at.line,
        )


@rule()
def yaml_syntax(at: Suspect) -> Iterator[RuleProblem]:
    """The header is YAML.

    The message is the parser's own. Quoting the value on that line usually helps.
    """
    yield RuleProblem(f"not YAML: {at.complaint}", at.quote_hint(), at.line)


@rule()
def yaml_control_character(line: int, code: int) -> Iterator[RuleProblem]:
    """The header contains no control characters; YAML refuses them.

    They come from text copied from terminals and PDF files, and editors do not show
    them.
    """
    yield RuleProblem(
        f"the header contains the control character U+{code:04X}",
        "remove it; it is easiest to retype the line",
        line,
    )


@rule()
def yaml_anchor(line: int) -> Iterator[RuleProblem]:
    """The header uses no anchors (`&a`) or aliases (`*a`).

    Few clients support them, and a small document can expand to gigabytes with them.
    """
    yield RuleProblem(
        "anchors and aliases are not allowed",
        "write the value out; if the `&` or `*` is text, quote the value",
        line,
    )


@rule()
def yaml_tag(line: int) -> Iterator[RuleProblem]:
    """The header uses no tags (`!!str`, `!custom`).

    All values of a skill are text, and tags can make other parsers build objects.
    """
    yield RuleProblem(
        "tags such as `!!str` are not allowed",
        "remove the tag; if the `!` is text, quote the value",
        line,
    )


@rule()
def yaml_duplicate_key(key: str, line: int, first: int) -> Iterator[RuleProblem]:
    """No key occurs twice.

    Of two equal keys, some clients use the first, some the last, and some neither.
    """
    yield RuleProblem(
        f"`{key}` is already set on line {first}", "remove one of them", line
    )


@rule()
def yaml_key(line: int) -> Iterator[RuleProblem]:
    """A key is plain text: no list, no mapping, and not the merge key `<<`."""
    yield RuleProblem("a key must be text", "write a word, or quote it", line)


@rule()
def yaml_depth(line: int) -> Iterator[RuleProblem]:
    """Values are nested at most 20 levels deep."""
    yield RuleProblem("the value is nested too deeply", "move it to a file", line)


@rule()
def frontmatter_mapping(kind: str) -> Iterator[RuleProblem]:
    """The frontmatter is a mapping: lines of `key: value`.

    A list, a plain text or an empty header has no `name` and `description`.
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
