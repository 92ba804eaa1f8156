"""`use` and `sync` as scripts and people call them."""

import subprocess
import sys
from pathlib import Path

import pytest

from skillforge.model import Arm, Rollout
from skillforge.operate import rollouts
from skillforge.operate.assignment import assigned
from skillforge.operate.pseudonym import of_key
from skillforge.store import Uses
from tests.conftest import LibraryFolder, Run
from tests.operate.test_folder_sync import WHO, edit
from tests.propose.conftest import Loop


@pytest.fixture
def inside(library: LibraryFolder, monkeypatch: pytest.MonkeyPatch) -> LibraryFolder:
    monkeypatch.chdir(library.root)
    return library


def tree(library: LibraryFolder, name: str = "csv-tables") -> str:
    return library.git("rev-parse", f"main:skills/{name}").strip()


def new_skill(library: LibraryFolder) -> dict[bool, str]:
    """A new skill on trial; a key that gets it (True), and one that does not."""
    library.add_skill("xls-tables")
    library.commit()
    rollout = Rollout("xls-tables", "", "", tree(library, "xls-tables"), 50, 1)
    rollouts.start(library.library, rollout, WHO)
    keys = [f"k{number}" for number in range(40)]
    here = library.library
    return {bool(assigned(here, "xls-tables", key).version): key for key in keys}


def test_use_prints_the_folder_and_nothing_else(
    inside: LibraryFolder, run: Run
) -> None:
    ran = run("use", "csv-tables", "--key", "k")

    assert ran.code == 0
    assert ran.err == ""
    folder = Path(ran.out.removesuffix("\n"))
    assert folder.name == "csv-tables"
    own = inside.root / "skills/csv-tables/SKILL.md"
    assert (folder / "SKILL.md").read_bytes() == own.read_bytes()


def test_use_prints_the_version_and_the_arm_for_scripts(
    inside: LibraryFolder, run: Run
) -> None:
    inside.add_skill("csv-tables", 'metadata:\n  version: "1.2.0"\n')
    inside.commit()

    data = run("use", "csv-tables", "--key", "k", "--json").data

    assert data["version"] == tree(inside)
    assert (data["arm"], data["rollout"], data["skill"]) == (
        "stable",
        None,
        "csv-tables",
    )
    assert data["readable_version"] == "1.2.0"
    assert data["remembered"] is True


def test_the_key_may_come_from_the_environment_but_has_to_come(
    inside: LibraryFolder, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in (
        ("use", "csv-tables"),
        ("sync", "--to", "x"),
        ("use", "csv-tables", "--key", " "),
    ):
        ran = run(*words)
        assert ran.code == 2
        assert "--key KEY" in ran.err
    monkeypatch.setenv("SKILLFORGE_KEY", "k")
    assert run("use", "csv-tables").code == 0


def test_a_key_that_gets_no_skill_is_a_no_with_nothing_on_stdout(
    inside: LibraryFolder, run: Run
) -> None:
    keys = new_skill(inside)

    ran = run("use", "xls-tables", "--key", keys[False])
    assert (ran.code, ran.out) == (1, "")
    assert "gets no xls-tables" in ran.err
    answer = run("use", "xls-tables", "--key", keys[False], "--json")
    assert answer.code == 1
    assert answer.data["path"] is None
    assert answer.data["version"] is None
    assert run("use", "xls-tables", "--key", keys[True]).code == 0


@pytest.mark.parametrize("how", ["use", "sync"])
def test_what_a_key_got_is_remembered_for_its_outcomes(
    inside: LibraryFolder, run: Run, tmp_path: Path, how: str
) -> None:
    keys = new_skill(inside)
    words = ("xls-tables",) if how == "use" else ("--to", str(tmp_path / "agent"))
    store = Uses.of(inside.root / ".git")

    for is_canary, key in keys.items():
        run(how, *words, "--key", key)
        given = store.last_assignment("xls-tables", of_key("xls-tables", key))
        assert given is not None
        assert bool(given.version) == is_canary
        assert given.arm == (Arm.CANARY if is_canary else Arm.STABLE)
        assert given.rollout


def test_an_edited_copy_is_not_counted_for_a_version_that_it_is_not(
    inside: LibraryFolder, run: Run, tmp_path: Path
) -> None:
    agent = tmp_path / "agent"
    run("sync", "--to", str(agent), "--key", "k")
    old = tree(inside)
    edit(agent)
    inside.add_skill("csv-tables", body="# Title\n\nDo it otherwise.\n")
    inside.commit()
    run("sync", "--to", str(agent), "--key", "k")

    given = Uses.of(inside.root / ".git").last_assignment(
        "csv-tables", of_key("csv-tables", "k")
    )
    assert given is not None
    assert given.version == old


def test_an_unwritable_git_directory_does_not_stop_use(
    inside: LibraryFolder, run: Run, tmp_path: Path
) -> None:
    (inside.root / ".git" / "skillforge").write_text("no folder")

    ran = run("use", "csv-tables", "--key", "k")
    assert ran.code == 0
    assert Path(ran.out.strip(), "SKILL.md").is_file()
    assert "not remembered" in ran.err
    ran = run("sync", "--to", str(tmp_path / "agent"), "--key", "k", "--json")
    assert ran.code == 0
    assert ran.data["remembered"] is False


def test_a_name_that_main_does_not_have_is_corrected(
    inside: LibraryFolder, run: Run
) -> None:
    ran = run("use", "csv-table", "--key", "k")

    assert ran.code == 2
    assert "csv-tables" in ran.err


def test_main_is_what_the_remote_says_it_is(
    library: LibraryFolder, run: Run, tmp_path: Path
) -> None:
    library.git("clone", "--quiet", str(library.root), str(tmp_path / "clone"))
    clone = LibraryFolder(tmp_path / "clone")
    clone.git("remote", "set-url", "origin", "https://github.com/acme/skills.git")
    clone.add_skill("csv-tables", body="# Title\n\nNot merged yet.\n")
    clone.commit()

    here = ("--library", str(clone.root), "--key", "k", "--json")
    assert run("use", "csv-tables", *here).data["version"] == tree(library)
    local = run("use", "csv-tables", *here, "--forge", "local").data["version"]
    assert local == tree(clone)


def test_sync_reports_changed_and_skipped_skills(
    inside: LibraryFolder, run: Run, tmp_path: Path
) -> None:
    agent = tmp_path / "agent"
    words = ("sync", "--to", str(agent), "--key", "k")
    (agent / "pdf-tables").mkdir(parents=True)

    ran = run(*words)
    assert ran.code == 1
    assert "added    csv-tables\n" in ran.out
    assert "foreign  pdf-tables: not written by sync\n" in ran.out
    (agent / "pdf-tables").rmdir()
    assert run(*words).code == 0
    edit(agent)
    ran = run(*words)
    assert ran.code == 1
    assert f"skillforge propose {agent}/csv-tables" in ran.out
    data = run(*words, "--json").data
    assert data["kept"] == ["csv-tables"]
    assert data["unchanged"] == ["pdf-tables"]
    assert [data[k] for k in ("added", "updated", "removed", "foreign", "refused")] == [
        [], [], [], [], [],
    ]  # fmt: skip


def test_a_dry_run_of_sync_is_labelled(
    inside: LibraryFolder, run: Run, tmp_path: Path
) -> None:
    agent = tmp_path / "agent"

    ran = run("sync", "--to", str(agent), "--key", "k", "--dry-run")

    assert f"{agent}: dry run: 2 added" in ran.out
    assert not agent.exists()


def test_an_agents_place_is_known(
    inside: LibraryFolder, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)

    assert run("sync", "--agent", "claude", "--key", "k").code == 0
    assert (tmp_path / ".claude/skills/csv-tables/SKILL.md").is_file()
    assert run("sync", "--agent", "codex", "--project", ".", "--key", "k").code == 0
    assert (inside.root / ".agents/skills/csv-tables/SKILL.md").is_file()


def test_a_link_of_a_project_does_not_choose_where_skills_go(
    inside: LibraryFolder, run: Run, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    hooks = project / ".git/hooks"
    hooks.mkdir(parents=True)
    (project / ".agents").symlink_to(".git")
    (project / ".git/skills").symlink_to("hooks")

    ran = run("sync", "--agent", "codex", "--project", str(project), "--key", "k")

    assert ran.code == 2
    assert f"is a link to {hooks}" in ran.err
    assert run("sync", "--to", str(hooks), "--key", "k").code == 2
    assert not list(hooks.iterdir())


@pytest.mark.parametrize(
    ("words", "why"),
    [
        pytest.param((), "name the folder with either", id="nowhere"),
        pytest.param(
            ("--to", "x", "--agent", "claude"), "name the folder with either", id="both"
        ),
        pytest.param(("--to", "x", "--project", "."), "needs --agent", id="project"),
        pytest.param(("--to", "skills"), "belongs to the library itself", id="own"),
        pytest.param(("--to", "skillforge.txt"), "is not a folder", id="file"),
    ],
)
def test_a_sync_without_a_target_reports_what_is_missing(
    inside: LibraryFolder, run: Run, words: tuple[str, ...], why: str
) -> None:
    inside.write("skillforge.txt", "")

    ran = run("sync", *words, "--key", "k")

    assert ran.code == 2
    assert why in ran.err


def test_outside_a_library_both_say_so(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    for words in (("use", "x"), ("sync", "--to", "y")):
        ran = run(*words, "--key", "k")
        assert ran.code == 2
        assert "is not in a skill library" in ran.err
    assert not (tmp_path / "y").exists()


def test_the_error_for_a_library_without_a_commit_has_a_hint(
    run: Run, tmp_path: Path
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "new")], check=True)

    words = ("--library", str(tmp_path / "new"), "--to", str(tmp_path / "y"))
    ran = run("sync", *words, "--key", "k")

    assert ran.code == 2
    assert not (tmp_path / "y").exists()
    assert "git commit" in ran.err


def test_a_shell_takes_the_path_or_goes_without(inside: LibraryFolder) -> None:
    keys = new_skill(inside)
    call = '"$0" -m skillforge use xls-tables --key "$1"'
    line = f'if p=$({call}); then cat "$p/SKILL.md"; else echo none; fi'

    for is_canary, key in keys.items():
        done = subprocess.run(
            ["sh", "-c", line, sys.executable, key],
            cwd=inside.root,
            capture_output=True,
            text=True,
        )
        assert (done.stdout == "none\n") != is_canary


def test_an_old_name_resolves_to_its_replacement(
    library: LibraryFolder, run: Run
) -> None:
    loop = Loop(library, run)
    loop.policy("checks: [validate]\n")
    batch = loop.batch(
        {"action": "delete", "name": "pdf-tables", "absorbed_into": "csv-tables"},
        {
            "action": "patch",
            "name": "csv-tables",
            "old_string": "Do this, then that.",
            "new_string": "Do this, then that, for PDF as well.",
        },
        why="One is enough",
    )
    path = library.write("../batch.json", batch)
    with path.open() as stdin, pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", stdin)
        number = loop.ok("propose")["proposal"]
    loop.approve(number)
    loop.promote(number)

    ran = loop("use", "pdf-tables", "--key", "k")

    assert ran.code == 0
    assert Path(ran.out.strip()).name == "csv-tables"
    assert "pdf-tables was absorbed into csv-tables" in ran.err
    output = loop.ok("record", "pdf-tables", "--key", "k", "--outcome", "success")
    assert output["uses"][0]["skill"] == "csv-tables"
