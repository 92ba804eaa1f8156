"""Compare what a page shows with a command's output, except for variable values."""

import re
from dataclasses import dataclass, field
from difflib import ndiff

VARIABLE = {
    re.compile(r"/home/[a-z]+"): "/home/you",
    re.compile(r"\b\d{8}-\d{6}\b"): "TIME",
    re.compile(r"\b\d{4}-\d\d-\d\d\b"): "DATE",
    re.compile(r"\b\d+\.\d+ s\b"): "N s",
    re.compile(r"\b127\.0\.0\.1:\d+"): "127.0.0.1:PORT",
    re.compile(r"\bPython 3\.\d+\.\d+"): "Python 3.x",
}
HASH = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{7,64}(?![0-9A-Za-z])")
_HASH_OR_START = re.compile(r"\b[0-9a-f]{4,64}\b")
ELISION = "…"


@dataclass
class Hashes:
    """The hashes that a page shows, each with the real one of this run."""

    real: dict[str, str] = field(default_factory=dict)

    def learn(self, shown: str, real: str) -> str:
        """Remember a pair; return what is wrong if it contradicts another."""
        for other_shown, other_real in self.real.items():
            is_same = _is_prefix(shown, other_shown)
            if is_same != _is_prefix(real, other_real):
                return f"{shown} is {real}, and {other_shown} is {other_real}"
        self.real[shown] = real
        return ""

    def shown_for(self, real: str, candidate: str) -> str:
        """The hash to show for a real one: the page's, or else the candidate."""
        if not self.learn(candidate, real):
            return candidate
        for shown, known in self.real.items():
            if real.startswith(known):
                return shown + real[len(known) :]
            if known.startswith(real):
                return shown[: len(real)]
        return real

    def to_real(self, command: str) -> str:
        """A command with the page's hashes, or their starts, replaced by real ones."""

        def replace(match: re.Match[str]) -> str:
            for shown, real in self.real.items():
                if shown.startswith(match[0]):
                    return real[: len(match[0])]
            return match[0]

        return _HASH_OR_START.sub(replace, command)


def _is_prefix(text: str, other: str) -> bool:
    return text.startswith(other) or other.startswith(text)


def mask(text: str) -> str:
    """A text without the values that differ in each run, except hashes."""
    for pattern, name in VARIABLE.items():
        text = pattern.sub(name, text)
    return text


def difference(shown: list[str], output: str, hashes: Hashes) -> str:
    """A message on how an output differs from what is shown; empty if it fits.

    A line that is only `…` stands for any number of lines.
    """
    actual = _masked_lines(output)
    expected = _masked_lines("\n".join(shown))
    pattern = "".join(map(_pattern, expected))
    match = re.fullmatch(pattern, "".join(f"{line}\n" for line in actual))
    if match is None:
        return _diff(expected, actual)
    pairs = zip(HASH.findall("\n".join(expected)), match.groups(), strict=True)
    return "; ".join(filter(None, (hashes.learn(*pair) for pair in pairs)))


def _masked_lines(text: str) -> list[str]:
    return [line.rstrip() for line in mask(text).rstrip().split("\n")]


def _pattern(line: str) -> str:
    if line.strip() == ELISION:
        return r"(?:.*\n)*?"
    parts = map(re.escape, HASH.split(line))
    return "([0-9a-f]{7,64})".join(parts) + "\n"


def _diff(expected: list[str], actual: list[str]) -> str:
    """Both texts with changed lines marked; equal lines have the real hashes."""
    by_outline = {HASH.sub("#", line): line for line in actual}
    expected = [by_outline.get(HASH.sub("#", line), line) for line in expected]
    marked = [line for line in ndiff(expected, actual) if not line.startswith("?")]
    return "\n".join(["the page (-) and the command (+) differ:", *marked])
