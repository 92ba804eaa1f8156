"""Decode payloads: base64, hex, escapes, invisible characters and the like.

For each encoding, a function finds payloads in a text. The result is at most as long
as its source; compressed data is unpacked up to a limit.
"""

import base64
import binascii
import codecs
import re
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

MOST = 1 << 20  # bytes of one unpacked payload
_LEAST = 6  # characters of a payload worth reading
_HEAD = 4096  # bytes that are unpacked to decide whether the content is text
MOST_WORDS = 30_000  # long words of a text that are decoded; honest texts have 2,000
_AHEAD = 4_000  # characters in which a joined word is searched, to find its line


class Payload(NamedTuple):
    """A decoded payload, and where it was."""

    offset: int
    how: str
    text: str


_LONG = 16
_LONG_WORD = re.compile(rf"\S{{{_LONG},}}")
_LETTERS = re.compile(r"(?<!\S)(?:\S\s++){11}\S(?!\S)")
_ENCODINGS = ("utf-8", "utf-16-le")
_BASE64 = re.compile(r"={0,2}[A-Za-z0-9+/_-]{16,}={0,2}")
_BASE64_LINE = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(r"(?<![0-9a-zA-Z])(?:0x)?(?:[0-9a-fA-F]{2}){8,}(?![0-9a-zA-Z])")
_ESCAPES = (
    ("\\x", re.compile(r"(?:\\x[0-9a-fA-F]{2}){3,}")),
    ("\\u00", re.compile(r"(?:\\u00[0-9a-fA-F]{2}){3,}")),
    ("\\1", re.compile(r"(?:\\0?[0-3][0-7]{2}){3,}")),
    ("%6", re.compile(r"(?:%[0-7][0-9a-fA-F]){4,}")),
    ("&#", re.compile(r"(?:&#x?[0-9a-fA-F]{2,3};){3,}")),
    ("0x", re.compile(r"(?:\b0x[0-9a-fA-F]{2}\b,?\s?){8,}")),
)
_REST = re.compile(r"[^\"'\n]*")  # of the literal or line that contains a run
_CODES = re.compile(r"(?:\b\d{2,3}\b\s?,\s?){5,20000}\d{2,3}\b")
_CHR = re.compile(r"(?:chr\(\d{2,3}\)\s?[+.]\s?){2,2000}chr\(\d{2,3}\)")
_TO_LETTERS = (
    "chr",
    "fromCharCode",
    "fromcharcode",
    "[char]",
    "bytes(",
    "bytearray",
    "Uint8",
)
_LITERAL = re.compile(r"\"([^\"\n]{6,20000})\"|'([^'\n]{6,20000})'")
_ESCAPE_DIGITS = re.compile(
    r"0?x([0-9a-fA-F]{2})|u00([0-9a-fA-F]{2})|%([0-9a-fA-F]{2})"
)
_TAGS = re.compile("[\U000e0020-\U000e007e]")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007f]{1,8}")
_BITS = re.compile("[\u200b\u200c]{32,}")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_SPACED = re.compile(r"(?<!\w)(?:\w {1,3}){12,2000}\w(?!\w)[^\n]{0,80}")
_SPLIT = re.compile(
    r"""["'][ \t]*+[+\\.,]?[ \t]*+\n?[ \t]*+[+.]?[ \t]*+["'](?=[\w+/])"""
)
_DECODERS = ("b64", "base64", "atob")
_REVERSED = re.compile(
    r"\[::-1\]|reversed\(|\.reverse\(\)|\|\s*rev\b|strrev|array]::reverse"
)
_TURNED = ("rot13", "rot_13", "rot-13", "n-za-m")
_TURNS = ("[::-1]", "reversed(", ".reverse()", "rev", "everse(")
_ROTATED = re.compile(r"rot[_-]?13|n-za-mn-za-m|a-za-z.{1,8}n-za-m", re.IGNORECASE)
_OTHER_BASES: dict[str, Callable[[str], bytes]] = {
    "b32decode": base64.b32decode,
    "base32": base64.b32decode,
    "b85decode": base64.b85decode,
    "a85decode": base64.a85decode,
}


def payloads(text: str) -> Iterator[Payload]:
    """The decoded payloads of a text."""
    words: dict[str, int] = {}
    for match in _LONG_WORD.finditer(text):
        words.setdefault(match[0], match.start())
        if len(words) == MOST_WORDS:  # more are reported
            break
    sources = (
        *(find(text, words) for find in (_base64, _hex)),
        *(find(text) for find in (_spaced, _escapes, _codes, _by_name, _unseen)),
    )
    for source in sources:
        for offset, how, decoded in source:
            if len(decoded.strip()) >= _LEAST and _is_text(decoded):
                yield Payload(offset, how, decoded)


def is_too_much(text: str) -> bool:
    """Whether a text has more long words than are decoded."""
    is_long = len(text) > _LONG * MOST_WORDS
    return is_long and len(set(_LONG_WORD.findall(text))) > MOST_WORDS


def _is_text(text: str) -> bool:
    odd = sum(not c.isprintable() and c not in "\r\n\t" for c in text[:2000])
    return odd * 50 <= min(len(text), 2000)


def _as_text(data: bytes) -> str:
    """Bytes as text, unpacked if they are compressed; empty if they are not text."""
    if head := unpacked(data, _HEAD):
        heads = (head.decode(encoding, "ignore") for encoding in _ENCODINGS)
        data = unpacked(data) if any(map(_is_text, heads)) else b""
    for encoding in _ENCODINGS:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if _is_text(text) and (encoding == "utf-8" or text.isascii()):
            return text
    return ""


def unpacked(data: bytes, most: int = MOST) -> bytes:
    """The content of a zlib, gzip, bzip2 or xz stream; empty for other data."""
    try:
        if data[:2] == b"\x1f\x8b" or data[:1] == b"x":
            return zlib.decompressobj(47).decompress(data, most)
        if inflated := _inflated(data, most):
            return inflated
        if data[:3] == b"BZh":
            import bz2

            return bz2.BZ2Decompressor().decompress(data, most)
    except (zlib.error, OSError, EOFError, ValueError, MemoryError):
        return b""
    return _from_xz(data, most) if data[:6] == b"\xfd7zXZ\0" else b""


def _from_xz(data: bytes, most: int) -> bytes:
    import lzma

    try:
        return lzma.LZMADecompressor(memlimit=64 << 20).decompress(data, most)
    except (lzma.LZMAError, EOFError, ValueError, MemoryError):
        return b""


def _inflated(data: bytes, most: int) -> bytes:
    """The result of PHP's `gzinflate`; empty if it is not text."""
    try:
        inflated = zlib.decompressobj(-15).decompress(data, most)
    except zlib.error:
        return b""
    return inflated if len(inflated) > 16 and inflated.isascii() else b""


def _base64(text: str, words: dict[str, int]) -> Iterator[Payload]:
    """Base64 in long words, also reversed, or split over lines or literals."""
    lower = text.lower()
    if any(name in lower for name in _DECODERS):
        words = {**words, **_joined_words(text, words)}
    for offset, run in _runs(words):
        for spelled in (run, run[::-1]) if run.startswith("=") else (run,):
            if decoded := _as_text(_from_base64(spelled)):
                yield Payload(offset, "base64", decoded)


def _joined_words(text: str, words: dict[str, int]) -> dict[str, int]:
    """The additional long words in a text whose literals are joined."""
    joined: dict[str, int] = {}
    at = 0
    for word in _LONG_WORD.findall(_SPLIT.sub("", text)):
        if word not in words and word not in joined and len(joined) < MOST_WORDS:
            at = max(at, text.find(word[:8], at, at + _AHEAD))
            joined[word] = at
    return joined


def _runs(words: dict[str, int]) -> Iterator[tuple[int, str]]:
    """Possible base64 in some words; consecutive lines of it are joined."""
    block: list[str] = []
    start = 0
    for word, at in words.items():
        if len(word) >= 40 and _BASE64_LINE.fullmatch(word):
            start = start if block else at
            block.append(word)
            continue
        if block:
            yield start, "".join(block)
            block = []
        yield from ((at + m.start(), m[0]) for m in _BASE64.finditer(word))
    if block:
        yield start, "".join(block)


def _from_base64(run: str) -> bytes:
    letters = re.sub(r"\s|=", "", run).replace("-", "+").replace("_", "/")
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    try:
        return base64.b64decode(letters + "=" * (-len(letters) % 4))
    except (ValueError, binascii.Error):
        return b""


def _hex(_text: str, words: dict[str, int]) -> Iterator[Payload]:
    for word, at in words.items():
        for match in _HEX.finditer(word):
            decoded = _as_text(bytes.fromhex(match[0].removeprefix("0x")))
            yield Payload(at + match.start(), "hex", decoded)


def _escapes(text: str) -> Iterator[Payload]:
    for sign, pattern in _ESCAPES:
        last = 0
        for match in pattern.finditer(text) if sign in text else ():
            if match.start() >= last:  # not part of the previous payload
                rest = _REST.match(text, match.end(), match.end() + 200)
                last = rest.end() if rest else match.end()
                clear = _with_its_word(text, match.start(), last)
                yield Payload(match.start(), "escapes", clear)


def _with_its_word(text: str, start: int, end: int) -> str:
    """The decoded text from a run of escapes on, with the start of its word."""
    word = re.search(r"[\w./:-]*\Z", text[max(0, start - 40) : start])
    clear = text[start:end]
    for _sign, pattern in _ESCAPES:
        clear = pattern.sub(lambda run: _unescaped(run[0]), clear)
    return f"{word[0] if word else ''}{clear}"


def _unescaped(run: str) -> str:
    if run.startswith("\\") and run[1].isdigit():
        return "".join(chr(int(part, 8)) for part in run.split("\\")[1:])
    if run.startswith("&"):
        import html

        return html.unescape(run)
    digits = _ESCAPE_DIGITS.findall(run)
    return bytes.fromhex("".join(map("".join, digits))).decode("latin-1")


def _codes(text: str) -> Iterator[Payload]:
    if not any(sign in text for sign in _TO_LETTERS):
        return
    for pattern in (_CODES, _CHR):
        for match in pattern.finditer(text):
            numbers = [int(number) for number in re.findall(r"\d+", match[0])]
            if all(9 <= number < 127 for number in numbers):
                yield Payload(
                    match.start(), "character codes", "".join(map(chr, numbers))
                )


def _by_name(text: str) -> Iterator[Payload]:
    """Encodings that look like plain text, if their decoder is named."""
    if any(sign in text.lower() for sign in _TURNED) and _ROTATED.search(text):
        yield Payload(0, "rot13", codecs.decode(text, "rot13"))
    if any(sign in text for sign in _TURNS) and _REVERSED.search(text):
        literals = [(m[1] or m[2])[::-1] for m in _LITERAL.finditer(text)]
        yield Payload(0, "reversed", "\n".join(literals))
    for name, decode in _OTHER_BASES.items():
        if name in text:
            for match in _LITERAL.finditer(text):
                try:
                    decoded = _as_text(decode(match[1] or match[2]))
                except (ValueError, binascii.Error):
                    continue
                yield Payload(match.start(), name, decoded)


def _spaced(text: str) -> Iterator[Payload]:
    """Words with spaces between their letters."""
    if not _LETTERS.search(text):
        return
    for match in _SPACED.finditer(text):
        words = re.split(r" {2,}", match[0])
        joined = " ".join(word.replace(" ", "") for word in words)
        yield Payload(match.start(), "spaces", joined)


def _unseen(text: str) -> Iterator[Payload]:
    if text.isascii():
        return
    if tags := _TAGS.findall(_FLAG.sub("", text)):
        decoded = "".join(chr(ord(c) - 0xE0000) for c in tags)
        yield Payload(text.find(tags[0]), "tag characters", decoded)
    for match in _BITS.finditer(text):
        for set_bit in ("\u200c", "\u200b"):
            bits = "".join("1" if c == set_bit else "0" for c in match[0])
            letters = (int(bits[n : n + 8], 2) for n in range(0, len(bits) - 7, 8))
            hidden = "".join(map(chr, letters))
            yield Payload(match.start(), "zero-width characters", hidden)
    for match in _SELECTORS.finditer(text):
        decoded = bytes(_selector(c) for c in match[0]).decode("latin-1")
        yield Payload(match.start(), "variation selectors", decoded)


def _selector(character: str) -> int:
    number = ord(character)
    return number - 0xFE00 if number < 0xFE10 else number - 0xE0100 + 16
