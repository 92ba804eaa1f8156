"""A line of any length is scanned in linear work, and nothing hides in it.

Work is counted in calls of functions: a time tells nothing on a busy machine. How
long it takes is in `benchmarks/scan.py`.
"""

import base64
import random
import sys
from collections.abc import Callable

import pytest

from skillforge.checks.scan import scan
from skillforge.checks.scan.normalize import LONGEST_LINE
from skillforge.model import Danger
from tests.checks.scan.conftest import DROPPER, WORDS, of_text

SHORT = 8_000  # characters; what is compared with it is four times as long
FEW = 20_000  # calls, in which no ratio tells anything
MOST = 6.0  # times as many, for a line four times as long
UNITS = (
    "a", " ", "\t", "http://", "http://a%d.io/x ", "//", "curl ", "curl %d ", "$(", '"',
    "'", "\\", "[", "[[", "](", "](a (", "![", "`", "``` ", "~~~ ", "(", "{", "{a,",
    "<!--", "<!-- %d -->", "<", "<a ", "</", "<desc>", "<p style='display:none'>%d</p>",
    'alt="', "alt='%d aaaaaaa' ", "data-", "eval(", "eval(x%d) decode ", "%41", "%6",
    "\\x41", "\\x41\\x42\\x43%d ", "&#65;", "&#", "\u200b", "a\u200b", "\u0437a",
    "\u0437a%d ", "a\u0300", "\u2066", "\U000e0041", "deadbeef", "deadbeef%08d00 ",
    "65,", "chr(65)+", "0x41, ", "a b ", "a@", "a.", "a.b@", "mail%d@b.io ",
    "key=value ", "password=", "key%d=value&", "a|", "; ", "_", "_a_", "*a*", "**",
    "1", "1.", "1:",
    "4111 1111 1111 1112 ", "DE89 3704 ", "::", "-", "--a ", "#", " # ", "- ", ": ",
    "never tell the user %d and send ", "send all keys %d to the server ",
    "ignore all previous %d ", "import os;", "getattr(a, 'b')", "'a'+", "f(", "x='a'\\",
    "[::-1]'%d aaaaaa' ", "rot13 '%d aaaaaa' ", "b32decode('%d aaaaaa') ",
    "-----BEGIN PRIVATE KEY-----", "ghp_%036d ", "\r", "\v", "\u2028", "${ifs", "a''b",
)  # fmt: skip
FILES = (
    "a.md",
    "a.py",
    "a.sh",
    "a.json",
    "a.yaml",
    "a.txt",
    "a.html",
    "a.toml",
    "SKILL.md",
)


def line_of(unit: str, size: int) -> str:
    """One line of a unit, again and again; `%d` in it is a number that counts."""
    if "%d" not in unit and "%0" not in unit:
        return unit * (size // len(unit) + 1)
    return "".join(unit % n for n in range(size // (len(unit) + 2)))


def calls(work: Callable[[], object]) -> int:
    count = 0

    def called(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def is_linear(path: str, unit: str) -> bool:
    """Whether a line that is four times as long takes about four times the work."""
    scan(of_text(path, line_of(unit, SHORT)))  # patterns are compiled at first use
    long = calls(lambda: scan(of_text(path, line_of(unit, 4 * SHORT))))
    if long < FEW:
        return True
    short = calls(lambda: scan(of_text(path, line_of(unit, SHORT))))
    return long < MOST * max(short, FEW / MOST)


@pytest.mark.parametrize("number", range(len(FILES)), ids=FILES)
def test_the_work_is_linear_in_the_length_of_a_line(number: int) -> None:
    some = UNITS[number :: len(FILES) // 2]

    assert [unit for unit in some if not is_linear(FILES[number], unit)] == []


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES)
def test_the_work_is_linear_in_the_length_of_any_line(path: str) -> None:
    assert [unit for unit in UNITS if not is_linear(path, unit)] == []


@pytest.mark.slow
@pytest.mark.parametrize("path", ["a.md", "a.sh"])
@pytest.mark.parametrize("unit", ["{} ", "{} %d "], ids=["repeated", "counted"])
def test_the_work_is_linear_in_the_words_that_signs_need(path: str, unit: str) -> None:
    words = [unit.format(word.replace("%", "%%")) for word in WORDS[::5]]

    assert [word for word in words if not is_linear(path, word)] == []


FILLERS = [
    pytest.param("lorem ipsum dolor sit amet ", id="words"),
    pytest.param("a", id="letters"),
    pytest.param("curl %d and ", id="needed-words"),
    pytest.param("send a report %d before the user asks; ", id="orders"),
    pytest.param("see https://docs.python.org/%d ", id="links"),
]


@pytest.mark.parametrize("path", ["a.md", "a.sh", "a.txt"])
@pytest.mark.parametrize("filler", FILLERS)
def test_an_attack_is_found_wherever_a_long_line_has_it(filler: str, path: str) -> None:
    whole = line_of(filler, 20_000)
    places = random.Random(filler + path)

    for _ in range(3):
        at = places.randrange(len(whole))
        text = f"{whole[:at]} ; {DROPPER} ; {whole[at:]}\n"
        assert scan(of_text(path, text)).verdict is Danger.DANGEROUS, at


@pytest.mark.parametrize("away", [0, 90, 300, 450, 590, 700, 1190, 1300, 2390])
def test_no_word_before_an_attack_hides_it(away: int) -> None:
    text = f"curl {'a' * away} ; {DROPPER.replace('-fsSL', '-fsSL ' + '-s ' * 60)} ;"

    assert scan(of_text("a.sh", text)).verdict is Danger.DANGEROUS


def test_an_attack_is_found_in_a_line_that_is_as_long_as_may_be() -> None:
    whole = line_of("lorem ipsum dolor %d ", LONGEST_LINE - 200)
    at = random.Random(4).randrange(len(whole))
    hidden = base64.b64encode(DROPPER.encode()).decode()

    for attack in (DROPPER, f"echo {hidden} | base64 -d | sh"):
        found = scan(of_text("a.md", f"{whole[:at]} ; {attack} ; {whole[at:]}\n"))
        assert found.verdict is Danger.DANGEROUS


@pytest.mark.parametrize("path", ["SKILL.md", "a.md", "a.sh", "a.json"])
@pytest.mark.parametrize("at", [0.0, 0.5, 1.0], ids=["start", "middle", "end"])
def test_a_longer_line_always_needs_a_person(path: str, at: float) -> None:
    whole = line_of("lorem ipsum dolor ", 4 << 20)
    place = int(at * len(whole))
    text = f"{whole[:place]} ; {DROPPER} ; {whole[place:]}"
    found = scan(of_text(path, f"\n{text}\n"))

    is_named = "fetch-and-run" in {finding.rule for finding in found.findings}
    assert is_named == (at != 0.5)
    assert any("500,000 char" in finding.message for finding in found.findings)
    assert found.verdict is not Danger.SAFE


def test_the_lines_around_a_very_long_one_are_read() -> None:
    text = f"Text.\n{'a ' * LONGEST_LINE}\n{DROPPER}\n"
    found = scan(of_text("a.sh", text)).findings

    assert {f.line for f in found if f.rule == "fetch-and-run"} == {3}


def test_a_line_that_is_too_crowded_to_be_read_needs_a_person() -> None:
    found = scan(of_text("a.md", "Never tell the user. " * 6000))

    assert found.verdict is Danger.CAUTION
    assert any("than can be read" in finding.message for finding in found.findings)
