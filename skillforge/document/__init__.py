"""Lossless parsing of SKILL.md files: fields with line numbers, and the body.

Any bytes give a `Document`. Problems are findings, never exceptions.
"""

from collections.abc import Iterator

from skillforge.document import frontmatter_bounds, yaml_errors
from skillforge.document.links import find_links
from skillforge.document.plain_header import Header, read_plain
from skillforge.document.yaml_header import HeaderError, read_yaml
from skillforge.model import Document, Finding, Rule, RuleProblem, rule, rules_in

MAX_BYTES = 1 << 20
MAX_HEADER = 1 << 16


@rule()
def file_too_large(size: int) -> Iterator[RuleProblem]:
    """A SKILL.md has at most 1 MiB, its frontmatter at most 64 KiB.

    The largest of 96,903 published files has 177 KB. Move data and long texts to files
    under `references/` or `assets/`, which an agent reads when it needs them.
    """
    yield RuleProblem(
        f"the file has {size:,} bytes, too many for instructions",
        "move long parts to files under references/ and link to them",
    )


@rule()
def encoding_nul(line: int) -> Iterator[RuleProblem]:
    """A SKILL.md contains no NUL bytes.

    They come from files saved as UTF-16, and from binary files with the wrong name.
    """
    yield RuleProblem(
        "the file contains a NUL byte", "save the file as UTF-8 text", line
    )


@rule()
def encoding_utf8(line: int) -> Iterator[RuleProblem]:
    """A SKILL.md is UTF-8 text.

    Clients read no other encoding. `iconv -f latin1 -t utf-8` converts most old files.
    """
    yield RuleProblem("the file is not UTF-8 text", "save the file as UTF-8", line)


@rule()
def encoding_bom() -> Iterator[RuleProblem]:
    """A SKILL.md does not start with a byte order mark.

    It hides the opening `---` from most clients, which then find no frontmatter.
    """
    yield RuleProblem(
        "the file starts with a byte order mark (BOM), which hides the frontmatter",
        "save it as UTF-8 without BOM",
    )


@rule()
def file_unreadable(reason: str) -> Iterator[RuleProblem]:
    """The file can be read; otherwise nobody could approve it."""
    yield RuleProblem(f"the file cannot be read: {reason}", "check its permissions")


def rules() -> tuple[Rule, ...]:
    """The rules of the parser."""
    return (*rules_in(globals()), *frontmatter_bounds.RULES, *yaml_errors.RULES)


def parse(data: bytes, *, with_links: bool = True) -> Document:
    """Read a SKILL.md; without its links if only the fields are needed."""
    if len(data) > MAX_BYTES:
        return too_large(len(data))
    if (nul := data.find(b"\0")) >= 0:
        return unreadable(encoding_nul.findings(data.count(b"\n", 0, nul) + 1))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as err:
        line = data.count(b"\n", 0, err.start) + 1
        return unreadable(encoding_utf8.findings(line))
    return _parse_text(text, data, with_links)


def _parse_text(text: str, data: bytes, with_links: bool) -> Document:
    has_bom = text.startswith("\ufeff")
    problems = encoding_bom.findings() if has_bom else []
    bounds = frontmatter_bounds.find(text, int(has_bom))
    if isinstance(bounds, Finding):
        return unreadable([*problems, bounds], text)
    if bounds.header_end - bounds.header_start > MAX_HEADER:
        return unreadable([*problems, *file_too_large.findings(len(data))], text)
    if bounds.body_start - bounds.header_end > 4 or bounds.header_start > 4 + has_bom:
        problems.extend(frontmatter_bounds.spaces_after(text, bounds))
    try:
        header = read_header(text[bounds.header_start : bounds.header_end])
    except HeaderError as err:
        return unreadable([*problems, err.finding], text, bounds.body_start)
    links = find_links(text, data, bounds.body_start) if with_links else ()
    return Document(text, *header, bounds.body_start, data, links, tuple(problems))


def read_header(header: str) -> Header:
    return read_plain(header) or read_yaml(header)


def too_large(size: int) -> Document:
    """The document of a file that is too large to be read."""
    return unreadable(file_too_large.findings(size))


def unreadable(problems: list[Finding], text: str = "", body: int = 0) -> Document:
    """A document of which only the problems are known."""
    return Document(text, {}, {}, {}, body, b"", (), tuple(problems), readable=False)
