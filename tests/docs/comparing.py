"""Whether a page shows what a command says, but for what differs each time."""

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
_START = re.compile(r"\b[0-9a-f]{4,64}\b")
ELISION = "…"


@dataclass
class Ids:
    """The hashes that a page shows, and those that came out in their place."""

    real: dict[str, str] = field(default_factory=dict)

    def learn(self, shown: str, came: str) -> str:
        """Remember a pair; says what is wrong if the page shows it otherwise."""
        for told, truth in self.real.items():
            is_same = told.startswith(shown) or shown.startswith(told)
            if is_same != (truth.startswith(came) or came.startswith(truth)):
                return f"{shown} is {came}, and {told} is {truth}"
        self.real[shown] = came
        return ""

    def shown_for(self, came: str, candidate: str) -> str:
        """What the page shows for a hash: what it did before, or else a candidate."""
        if not self.learn(candidate, came):
            return candidate
        for told, truth in self.real.items():
            if came.startswith(truth):
                return told + came[len(truth) :]
            if truth.startswith(came):
                return told[: len(came)]
        return came

    def put_into(self, command: str) -> str:
        """A command that names an id of the page, or its start, with the real one."""

        def real(match: re.Match[str]) -> str:
            for told, truth in self.real.items():
                if told.startswith(match[0]):
                    return truth[: len(match[0])]
            return match[0]

        return _START.sub(real, command)


def plain(text: str) -> str:
    for pattern, instead in VARIABLE.items():
        text = pattern.sub(instead, text)
    return text


def difference(shown: list[str], said: str, ids: Ids) -> str:
    """What a page shows and a command does not say, as a message; empty if it fits.

    A line that is only `…` stands for any lines.
    """
    came = [line.rstrip() for line in plain(said).rstrip().split("\n")]
    wanted = [line.rstrip() for line in plain("\n".join(shown)).rstrip().split("\n")]
    pattern = "".join(map(_pattern, wanted))
    match = re.fullmatch(pattern, "".join(f"{line}\n" for line in came))
    if match is None:
        return _side_by_side(wanted, came)
    hashes = HASH.findall("\n".join(wanted))
    pairs = zip(hashes, match.groups(), strict=True)
    return "; ".join(filter(None, (ids.learn(*pair) for pair in pairs)))


def _pattern(line: str) -> str:
    if line.strip() == ELISION:
        return r"(?:.*\n)*?"
    parts = map(re.escape, HASH.split(line))
    return "([0-9a-f]{7,64})".join(parts) + "\n"


def _side_by_side(wanted: list[str], came: list[str]) -> str:
    """Both, with what differs marked; hashes as the command says them."""
    same = {HASH.sub("#", line): line for line in came}
    told = [same.get(HASH.sub("#", line), line) for line in wanted]
    marked = [line for line in ndiff(told, came) if not line.startswith("?")]
    return "\n".join(["the page (-) and the command (+) differ:", *marked])
