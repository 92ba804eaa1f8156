"""Show prints a skill or a file of it, and knows where skills went."""

import base64

import pytest

from tests.conftest import LibraryFolder, Run


def test_a_skill_is_shown_with_its_facts_and_its_body(
    library: LibraryFolder, run: Run
) -> None:
    library.write("skills/csv-tables/scripts/run.py", "print(1)\n")
    commit = library.commit()
    tree = library.git("rev-parse", "HEAD:skills/csv-tables").strip()
    place = ("--library", str(library.root))

    text = run("show", "csv-tables", *place).out
    data = run("show", "csv-tables", *place, "--json").data

    for fact in (commit, tree, "Reads tables from files", "scripts/run.py", "Do this"):
        assert fact in text
    assert (data["tree"], data["commit"]) == (tree, commit)
    assert data["body"] == "# Title\n\nDo this, then that.\n"
    assert [file["path"] for file in data["files"]] == ["SKILL.md", "scripts/run.py"]


@pytest.mark.parametrize(
    "content",
    [b"a\r\nb", b"no end", b"", b"\x00\x01\xff\xfe", "Ünï\n".encode()],
    ids=["crlf", "no-newline", "empty", "binary", "unicode"],
)
def test_a_file_is_printed_as_it_is_and_nothing_else(
    library: LibraryFolder, content: bytes, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    from skillforge import cli

    folder = library.root / "skills/csv-tables/assets"
    folder.mkdir()
    (folder / "data").write_bytes(content)
    library.commit()

    code = cli.run(
        ["show", "csv-tables", "assets/data", "--library", str(library.root)]
    )

    assert (code, capfdbinary.readouterr().out) == (0, content)


def test_a_binary_file_in_json_is_base64(library: LibraryFolder, run: Run) -> None:
    (library.root / "skills/csv-tables/data").write_bytes(b"\xff\x00")
    library.commit()
    place = ("--library", str(library.root))

    data = run("show", "csv-tables", "data", *place, "--json").data

    assert (data["encoding"], data["size"]) == ("base64", 2)
    assert base64.b64decode(data["content"]) == b"\xff\x00"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("csv-table",), "csv-tables"),
        (("nothing-like-it-at-all",), "skillforge list"),
        (("../csv-tables",), "csv-tables"),
        (("",), "skillforge list"),
        (("csv-tables", "SKILL.MD"), "SKILL.md"),
        (("csv-tables", "../pdf-tables/SKILL.md"), "SKILL.md"),
        (("csv-tables", "references"), "references/a.md"),
        (("csv-tables", "link"), "lists its files"),
        (("csv-tables", "--rev", "nothing"), "git log"),
    ],
    ids=[
        "typo",
        "unknown",
        "path",
        "empty",
        "case",
        "outside",
        "folder",
        "link",
        "rev",
    ],
)
def test_a_missing_skill_or_file_gets_a_hint(
    library: LibraryFolder, run: Run, words: tuple[str, ...], hint: str
) -> None:
    library.write("skills/csv-tables/references/a.md", "a\n")
    (library.root / "skills/csv-tables/link").symlink_to("/etc/passwd")
    library.commit()

    ran = run("show", *words, "--library", str(library.root))

    assert ran.code == 2
    assert hint in ran.err
    assert "root:" not in ran.out


def test_the_old_name_of_a_merged_skill_resolves_to_the_new_one(
    library: LibraryFolder, run: Run
) -> None:
    library.git("rm", "-rq", "skills/pdf-tables")
    trailers = "Skill: pdf-tables\nAction: consolidate\nAbsorbed-Into: csv-tables"
    library.commit(f"Take pdf-tables into csv-tables\n\n{trailers}")

    ran = run("show", "pdf-tables", "--library", str(library.root))

    assert ran.code == 2
    assert "was merged into csv-tables" in ran.err
    assert "skillforge show csv-tables" in ran.err


def test_the_error_for_a_removed_skill_shows_how_to_read_it(
    library: LibraryFolder, run: Run
) -> None:
    library.git("rm", "-rq", "skills/pdf-tables")
    library.commit("Remove it")
    place = ("--library", str(library.root))

    ran = run("show", "pdf-tables", *place)

    assert ran.code == 2
    revision = ran.err.split("--rev ")[1].split(";")[0]
    assert run("show", "pdf-tables", "--rev", revision, *place).code == 0
