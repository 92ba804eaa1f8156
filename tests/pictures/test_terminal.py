"""A recording of a terminal becomes a picture of it."""

from xml.etree import ElementTree

from tests.pictures.terminal import WIDTH, picture, steps

RECORDED = (
    "== Check\r\n\r\n# A skill.\r\n$ skillforge scan\r\n"
    "\x1b[31merror\x1b[0m: <b> & more\r\n"
    "\r\n# The next.\r\n\x1b[1m$ skillforge list\x1b[0m\r\nall\r\n"
)


def test_each_command_has_its_output() -> None:
    first, second = steps(RECORDED)

    assert first.line == "$ skillforge scan"
    assert first.output[0].endswith("\x1b[0m: <b> & more")
    assert (second.line, second.output) == ("$ skillforge list", ["all", ""])


def test_a_picture_is_sound_xml_with_all_that_was_shown() -> None:
    drawn = ElementTree.fromstring(picture("a <title>", steps(RECORDED)))

    text = "".join(drawn.itertext())
    assert "error: <b> & more" in text
    assert "$ skillforge list" in text


def test_a_long_line_ends_at_the_edge() -> None:
    long = f"$ one\n{'x' * (WIDTH - 1)}\x1b[31m{'y' * 9}\x1b[0m\n"

    drawn = picture("", steps(long))

    assert "x" * (WIDTH - 1) in drawn
    assert "yy" not in drawn
    assert "…" in drawn
