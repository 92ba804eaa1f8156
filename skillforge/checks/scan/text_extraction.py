"""All text of a skill in segments, and notices about files that cannot be read.

The bytes of a file decide what it is; its name only decides how its text is read.
"""

import json
import posixpath
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

from skillforge.checks.scan import (
    archive_members,
    normalize,
    payloads,
    python_calls,
    segments,
    shell_commands,
)
from skillforge.checks.scan.segments import MOST_TEXT, Segment, SegmentView
from skillforge.model import SKILL_FILE, FileKind, Skill
from skillforge.text import UNSEEN_BREAK

DEEPEST = 4  # payloads in payloads, archives in archives
_MOST_HIDDEN = 2 << 20  # characters of all payloads of a file, in clear
_LONGEST_TOML = 5000  # characters of a line; the parser is slow on many dots
_DATA = re.compile(r".*\.(?:json|jsonc|json5|ya?ml|toml|ipynb)", re.IGNORECASE)
_PAGE = re.compile(r".*\.(?:html?|xhtml|svg|xml|vue|svelte)", re.IGNORECASE)
_LANGUAGES = {
    "py": "python", "pyw": "python", "sh": "shell", "bash": "shell", "zsh": "shell",
    "ksh": "shell", "fish": "shell", "command": "shell", "js": "javascript",
    "mjs": "javascript", "cjs": "javascript", "ts": "javascript", "tsx": "javascript",
    "jsx": "javascript", "ps1": "powershell", "psm1": "powershell", "bat": "batch",
    "cmd": "batch", "rb": "ruby", "pl": "perl", "php": "php", "lua": "lua", "go": "go",
    "rs": "rust", "r": "r", "applescript": "applescript", "scpt": "applescript",
}  # fmt: skip
_SHEBANG = re.compile(r"#!.{0,80}?\b(python|bash|zsh|sh|node|ruby|perl|php|deno|bun)\b")
_INTERPRETERS = {"bash": "shell", "zsh": "shell", "sh": "shell", "node": "javascript"}
SHELLS = ("shell", "bash", "sh", "zsh", "console", "terminal", "shell-session", "")

# The kind of a file, by its first bytes.
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x7fELF", "program"), (b"MZ", "program"), (b"\xcf\xfa\xed\xfe", "program"),
    (b"\xce\xfa\xed\xfe", "program"), (b"\xca\xfe\xba\xbe", "program"),
    (b"\xfe\xed\xfa\xcf", "program"), (b"\0asm", "program"), (b"!<arch>", "program"),
    (b"PK\x03\x04", "archive"), (b"PK\x05\x06", "archive"), (b"\x1f\x8b", "archive"),
    (b"BZh", "archive"), (b"\xfd7zXZ\0", "archive"),
    (b"7z\xbc\xaf\x27\x1c", "locked"), (b"Rar!", "locked"),
    (b"\x28\xb5\x2f\xfd", "locked"),
    (b"MSCF", "locked"), (b"xar!", "locked"), (b"koly", "locked"),
    (b"\x89PNG", "media"), (b"\xff\xd8\xff", "media"), (b"GIF8", "media"),
    (b"RIFF", "media"), (b"BM", "media"), (b"\0\0\1\0", "media"), (b"II*\0", "media"),
    (b"MM\0*", "media"), (b"%PDF", "media"), (b"OTTO", "media"), (b"\0\1\0\0", "media"),
    (b"true", "media"), (b"ttcf", "media"), (b"wOFF", "media"), (b"wOF2", "media"),
    (b"ID3", "media"), (b"OggS", "media"), (b"fLaC", "media"), (b"\xff\xfb", "media"),
    (b"\x1aE\xdf\xa3", "media"), (b"SQLite format 3", "media"), (b"glTF", "media"),
    (b"\0\0\0\1Bud1", "media"), (b"PAR1", "media"), (b"\x93NUMPY", "media"),
    (b"{\\rtf", "media"),
    (b"\xd0\xcf\x11\xe0", "media"), (b"8BPS", "media"),
)  # fmt: skip
_MEDIA_NAMES = re.compile(
    r".*\.(?:png|jpe?g|gif|webp|bmp|ico|tiff?|avif|heic|pdf|[ot]tf|ttc|woff2?|eot|"
    r"mp[34]|"
    r"m4[av]|wav|ogg|flac|webm|mov|glb|db|sqlite3?|ds_store|docx?|xlsx?|pptx?|npy|"
    r"parquet|"
    r"psd)|.*/\.ds_store|\.ds_store",
    re.IGNORECASE,
)
_OFFICE = re.compile(
    r"(?:word|xl|ppt|_rels|docprops)/|\[content_types\]|mimetype", re.IGNORECASE
)
_PICKLE = re.compile(
    rb"c(?:posix|os|nt|subprocess|builtins|__builtin__)\n(?:system|popen|exec|eval|run|call|Popen)\n"
    rb"|\x8c.(?:posix|os|nt|subprocess|builtins)\x94?\x8c.(?:system|popen|exec|eval|run|call|Popen)"
)


class Notice(NamedTuple):
    """The kind of a file, or why it cannot be read."""

    # program, bytecode, archive, locked, unread, disguised, macro, link, break
    kind: str
    path: str
    words: str
    line: int = 1


def read(skill: Skill) -> Iterator[Segment | Notice]:
    """All text of a skill, and notices about its files."""
    left = MOST_TEXT
    if not skill.files and skill.document is not None:
        yield Notice("unread", SKILL_FILE, "the skill's folder cannot be read")
    for path, file in skill.files.items():
        if path != SKILL_FILE:
            yield Segment(path, SegmentView.HIDDEN, _as_words(path))
        if file.kind is FileKind.SYMLINK:
            target = skill.read(path).decode("utf-8", "replace")
            yield Notice("link", path, f"a link to {target}")
            continue
        if file.kind not in (FileKind.FILE, FileKind.EXECUTABLE):
            yield Notice("unread", path, f"a {file.kind}, which has no content to read")
            continue
        for item in _read_file(skill, path):
            left -= item.size if isinstance(item, Segment) else 0
            if left < 0:
                yield Notice("unread", path, "more text than can be read")
                return
            yield item


def _as_words(path: str) -> str:
    """A path as a sentence, since an agent reads names as well."""
    return re.sub(r"[-_/.\\]+", " ", path)


def _read_file(skill: Skill, path: str) -> Iterator[Segment | Notice]:
    try:
        data = skill.read(path)
    except OSError as err:
        yield Notice("unread", path, f"cannot be read: {err.strerror}")
        return
    document = skill.document
    if path == SKILL_FILE and document is not None and document.text:
        start = document.body_start
        yield from segments.of_header(
            path,
            normalize.cut_long_lines(document.text[:start]),
            normalize.cut_long_lines(document.words("description")),
            document.line_of("description"),
        )
    yield from read_bytes(path, data)


def read_bytes(path: str, data: bytes, depth: int = 0) -> Iterator[Segment | Notice]:
    """The text of a file, whatever it is packed into."""
    kind = next((kind for magic, kind in _MAGIC if data.startswith(magic)), "")
    if _PICKLE.search(data[: 1 << 20]):
        yield Notice("pickle", path, "a pickle that runs a command when it is loaded")
    if data[2:4] == b"\r\n" and data[4:8] in (b"\0\0\0\0", b"\1\0\0\0", b"\3\0\0\0"):
        kind = "bytecode"
    elif data[257:262] == b"ustar":
        kind = "archive"
    elif data[4:8] == b"ftyp":
        kind = "media"
    text = _decoded(data, kind)
    if text is not None:
        yield from _unseen_break(path, data, text)
        yield from _read_text(path, text, depth)
    elif kind == "archive":
        yield from _read_archive(path, data, depth)
    else:
        yield from _read_binary(path, data, kind, depth)


def _unseen_break(path: str, data: bytes, text: str) -> Iterator[Notice]:
    if "\x85" in text and b"\xc2\x85" not in data:
        text = text.replace("\x85", ".")  # an ellipsis in older encodings
    if match := UNSEEN_BREAK.search(text):
        line = text.count("\n", 0, match.start()) + 1
        words = f"U+{ord(match[0]):04X} breaks or hides a line"
        yield Notice("break", path, words, line)


def _decoded(data: bytes, kind: str) -> str | None:
    """Bytes as text; None if they are not text."""
    for bom, encoding in (
        (b"\xff\xfe\0\0", "utf-32"), (b"\0\0\xfe\xff", "utf-32"),
        (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"),
        (b"\xef\xbb\xbf", "utf-8-sig"),
    ):  # fmt: skip
        if data.startswith(bom):
            return data.decode(encoding, "replace")
    is_packed = kind in ("archive", "program", "locked", "bytecode")
    if is_packed and (b"\0" in data[:8000] or any(byte < 9 for byte in data[:8])):
        return None
    head = data[:8000]
    nuls = head.count(0)
    if nuls * 5 > len(head) * 2 and kind == "":  # every other byte: UTF-16, unmarked
        return _wide(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        odd = sum(byte < 9 or 13 < byte < 32 for byte in head)
        foreign = sum(byte > 127 for byte in head)
        is_text = not nuls and odd * 50 < len(head) and foreign * 3 < len(head)
        # An older encoding: only its ASCII characters are certain.
        return data.decode("latin-1") if is_text else None
    return text if nuls * 100 <= len(head) else None


def _wide(data: bytes) -> str | None:
    """UTF-16 text without a byte order mark; None if it is not text."""
    even, odd = data[0:4000:2].count(0), data[1:4000:2].count(0)
    if min(even, odd) * 4 > max(even, odd):
        return None
    text = data.decode(f"utf-16-{'le' if odd > even else 'be'}", "replace")
    return text if text[:400].isprintable() or "\n" in text[:400] else None


def _read_text(path: str, text: str, depth: int) -> Iterator[Segment | Notice]:
    whole = normalize.lines(text)
    text = normalize.cut_long_lines(whole)
    if len(text) < len(whole):
        words = f"a line of more than {normalize.LONGEST_LINE:,} characters"
        yield Notice("unread", path, words)
    parts: list[Segment] = []
    suffix = posixpath.splitext(path)[1][1:].lower()
    language = _language(suffix, text)
    if language:
        parts.append(Segment(path, SegmentView.CODE, text, 1, language, depth=depth))
    elif _PAGE.fullmatch(path):
        parts.append(Segment(path, SegmentView.CODE, text, 1, "html", depth=depth))
        parts.extend(segments.unseen(path, text))
    elif _DATA.fullmatch(path):
        parts.append(Segment(path, SegmentView.CODE, text, 1, "data", depth=depth))
        parts.extend(_values(path, text, depth))
    else:
        parts.extend(segments.of_markdown(path, text))
        if not path.lower().endswith((".md", ".mdx", ".markdown", ".rst")):
            parts.append(Segment(path, SegmentView.CODE, text, 1, "text", depth=depth))
    for segment in parts:
        yield segment
        if segment.view is SegmentView.CODE:
            yield from _resolved(segment)
    left = _MOST_HIDDEN
    for inner in _payloads(
        Segment(path, SegmentView.PROSE, text, 1, language, depth=depth)
    ):
        left -= inner.size if isinstance(inner, Segment) else 0
        if left < 0:
            yield Notice("unread", path, "more hidden text than can be read")
            return
        yield inner


def _language(suffix: str, text: str) -> str:
    if match := _SHEBANG.match(text[:120]):
        return _INTERPRETERS.get(match[1], match[1])
    return _LANGUAGES.get(suffix, "")


def _payloads(segment: Segment) -> Iterator[Segment | Notice]:
    """The payloads of a segment, decoded."""
    if segment.depth >= DEEPEST:
        if segment.hidden_by and any(True for _ in payloads.payloads(segment.raw)):
            yield Notice("unread", segment.path, "nested payloads, too deep to read")
        return
    if payloads.is_too_much(segment.raw):
        yield Notice("unread", segment.path, "more long words than can be decoded")
    for how, group in groupby(
        payloads.payloads(segment.raw), key=lambda payload: payload.how
    ):
        texts = ((segment.line_of(p.offset), normalize.lines(p.text)) for p in group)
        for inner in segments.of_payloads(segment.path, how, texts, segment.depth + 1):
            yield inner
            yield from _resolved(inner)
            yield from _payloads(inner)


def _resolved(segment: Segment) -> Iterator[Segment | Notice]:
    lines: list[tuple[int, str]] | None = None
    if segment.language in SHELLS and shell_commands.is_too_much(segment.raw):
        yield Notice("unread", segment.path, "a script too long to analyse")
    if segment.language in ("python", "py", "python3") or (
        not segment.language and ("import " in segment.raw or "exec(" in segment.raw)
    ):
        if python_calls.is_too_much(segment.raw):
            yield Notice("unread", segment.path, "a script too long to analyse")
        lines = python_calls.calls(segment.raw)
    elif segment.language in SHELLS:
        lines = shell_commands.commands(segment.raw)
    if lines:
        start = segment.line - 1
        numbers = tuple(
            segment.line if segment.hidden_by else start + n for n, _ in lines
        )
        text = "\n".join(line for _, line in lines)
        yield Segment(
            segment.path, SegmentView.CODE, text, segment.line, "resolved",
            segment.hidden_by, numbers, DEEPEST,
        )  # fmt: skip


def _values(path: str, text: str, depth: int) -> Iterator[Segment]:
    """The texts in a data file, unescaped; for a notebook, its cells."""
    value = _parsed(path, text)
    if isinstance(value, dict) and isinstance(value.get("cells"), list):
        for cell in value["cells"]:
            source = cell.get("source", "") if isinstance(cell, dict) else ""
            source = (
                "".join(map(str, source)) if isinstance(source, list) else str(source)
            )
            is_code = isinstance(cell, dict) and cell.get("cell_type") == "code"
            line = _line_of(text, source)
            language = "python" if is_code else ""
            view = SegmentView.CODE if is_code else SegmentView.PROSE
            yield Segment(
                path, view, normalize.lines(source), line, language, "", (), depth
            )
        return
    leaves = [leaf for leaf in _leaves(value) if "\\" in text or "\n" in leaf]
    for leaf in leaves[:2000]:
        line = _line_of(text, leaf)
        yield Segment(
            path, SegmentView.CODE, normalize.lines(leaf), line, "value", "", (), depth
        )


def _parsed(path: str, text: str) -> Any:
    if len(text) > 1 << 20:
        return None
    try:
        if path.endswith((".json", ".ipynb")):
            return json.loads(text)
        if path.endswith(".toml"):
            if max(map(len, text.split("\n"))) > _LONGEST_TOML:
                return None
            import tomllib

            return tomllib.loads(text)
        from skillforge.schema_errors import load_yaml

        return load_yaml(text.encode()).value
    except Exception:  # noqa: BLE001 - not in that format; its text is read anyway
        return None


def _leaves(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str) and len(value) > 11:
        yield value
    elif depth < 40 and isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item, depth + 1)


def _line_of(text: str, value: str) -> int:
    start = json.dumps(value.strip()[:30])[1:-1].split("\\n")[0]
    at = text.find(start) if start else -1
    return text.count("\n", 0, at) + 1 if at >= 0 else 1


def _read_archive(path: str, data: bytes, depth: int) -> Iterator[Segment | Notice]:
    inner = list(archive_members.members(data))
    is_office = any(_OFFICE.match(member.name) for member in inner)
    if not is_office:
        yield Notice("archive", path, "an archive in the skill")
    for member in inner:
        where = f"{path}!{member.name}" if member.name else f"{path}!"
        if member.problem:
            kind = "locked" if "password" in member.problem else "unread"
            yield Notice(kind, where, member.problem)
        elif depth >= DEEPEST:
            yield Notice("unread", where, "nested archives, too deep to read")
        else:
            if member.name.lower().endswith("vbaproject.bin"):
                yield Notice("macro", where, "a program in a document")
            yield from read_bytes(where.removesuffix("!"), member.data, depth + 1)


def _read_binary(
    path: str, data: bytes, kind: str, depth: int
) -> Iterator[Segment | Notice]:
    """The readable parts of a binary file, and notices about its kind."""
    if kind in ("program", "bytecode", "locked"):
        yield Notice(kind, path, _KINDS[kind])
    elif not kind:
        yield Notice(
            "unread", path, "bytes that are neither text nor a known kind of file"
        )
    if kind == "program" and _MEDIA_NAMES.fullmatch(path):
        yield Notice("disguised", path, "a program with the name of an image")
    text = archive_members.strings(data)
    hidden = (SegmentView.HIDDEN,) if kind == "media" else ()
    for view in (*hidden, SegmentView.CODE):
        how = _KINDS.get(kind, "binary")
        yield Segment(path, view, text, 1, "strings", how, (), DEEPEST)
    if kind == "media" and depth < DEEPEST:
        yield from _behind_picture(path, data, depth)


def _behind_picture(path: str, data: bytes, depth: int) -> Iterator[Segment | Notice]:
    """An archive or program that is appended to a picture."""
    for end in (b"IEND\xaeB`\x82", b"\xff\xd9", b"\x00;"):
        head, mark, rest = data.rpartition(end)
        start = next(
            (m for m in (b"PK\x03\x04", b"\x7fELF", b"#!") if m in rest[:64]), b""
        )
        if mark and head and start:
            yield Notice("disguised", path, "another file is appended to the image")
            yield from read_bytes(f"{path}!", rest[rest.index(start) :], depth + 1)


_KINDS = {
    "program": "a compiled program",
    "bytecode": "compiled Python",
    "locked": "an archive that cannot be opened",
    "media": "an image's metadata",
}
