"""Pages are parsed into scenes and steps."""

from pathlib import Path

from tests.docs.page_parser import scenes


def test_a_page_is_read_as_scenes(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A\n\n<!-- given: a place -->\n"
        "```console\n$ one \\\n  two\noutput\n$ cat <<'END'\n$ x\nEND\nx\n```\n"
        "\n<!-- and: a deed -->\n```sh\nfour   # why\nif five; then\n    six\nfi\n```\n"
        "\n```json\n{}\n```\n\n````markdown\n```sh\nnot this\n```\n````\n"
    )

    [scene] = scenes(page)

    assert (scene.given, scene.id) == ("a place", "page.md:5")
    assert [
        (step.line, step.command, step.shows, step.before) for step in scene.steps
    ] == [
        (5, "one \\\n  two", ["output"], ()),
        (8, "cat <<'END'\n$ x\nEND", ["x"], ()),
        (16, "four   # why", None, ("a deed",)),
        (17, "if five; then\n    six\nfi", None, ()),
    ]
