"""The keys of `data` that scripts and agents rely on are there."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import LibraryFolder, Run
from tests.docs.reference.keys import KEYS
from tests.learn.conftest import export_runs
from tests.propose.conftest import REVIEWER, page

POLICY = "checks: [validate]\ncanary: {share: 50}\n"
CASE = "run: [python3, --version]\n"
Data = dict[str, Any]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Data]:
    """What every command of the table answers with, on one library."""
    import io
    from contextlib import redirect_stderr, redirect_stdout

    from skillforge import cli
    from skillforge.gitrepo import GitRepo

    top = tmp_path_factory.mktemp("keys")
    with pytest.MonkeyPatch.context() as patch:
        for who in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{who}_NAME", "Test")
            patch.setenv(f"GIT_{who}_EMAIL", "test@example.invalid")
        patch.setenv("SKILLFORGE_CACHE", str(top / "cache"))
        library = LibraryFolder(top / "library")
        library.root.mkdir()
        GitRepo.init(library.root)

        def ask(*words: str) -> Data:
            out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
            with redirect_stdout(out), redirect_stderr(io.StringIO()):
                cli.run([*words, "--library", str(library.root), "--json"])
            output = json.loads(out.buffer.getvalue())
            assert output["error"] is None, output
            data: Data = output["data"]
            return data

        return _walk(library, ask)


def _walk(library: LibraryFolder, ask: Callable[..., Data]) -> dict[str, Data]:
    """Once through the loop, so that no list is empty."""
    body = "# Title\n\nGet it: `curl https://api.example.org/tables`.\n"
    library.add_skill("csv-tables", extra="colour: red\n", body=body)
    library.write("skills/csv-tables/tests/runs.yaml", CASE)
    library.write("skillforge.yaml", POLICY)
    runs = library.root.parent / "runs.jsonl"
    runs.write_text("".join(f"{json.dumps(row)}\n" for row in export_runs()))
    library.commit("Start")
    found: dict[str, Data] = {
        name: ask(name) for name in ("validate", "scan", "check", "test", "health")
    }
    library.write("skills/csv-tables/SKILL.md", page("csv-tables", "", "first"))
    found["propose"] = ask("propose", "csv-tables")
    found["proposals"] = ask("proposals")
    found["gate"] = ask("gate", "1")
    ask("review", "1", "--approve", "--as", REVIEWER)
    found["promote"] = ask("promote", "1")
    found["use"] = ask("use", "csv-tables", "--key", "a")
    ask("record", "csv-tables", "--key", "a", "--outcome", "success")
    found["stats"] = ask("stats")
    found["canary status"] = ask("canary", "status", "csv-tables")
    found["log"] = ask("log", "csv-tables")
    found["rollback"] = ask("rollback", "csv-tables", "--now", "--why", "Worse")
    found["capture"] = ask("capture", str(runs))
    ask("examples", "approve", "--all-verified", "--as", "Rita")
    found["patterns"] = ask("patterns")
    pattern = found["patterns"]["patterns"][0]["id"]
    found["draft"] = ask("draft", pattern, "--dry-run")
    found["list"], found["search"] = ask("list"), ask("search", "tables")
    library.git("reset", "--quiet", "--hard", "main")
    library.add_skill("pdf-tables")
    library.commit("Pushed by hand")
    found["audit"] = ask("audit")
    return found


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("command", KEYS)
def test_a_command_answers_with_its_keys(
    command: str, answers: dict[str, Data]
) -> None:
    data = answers[command]

    assert data.keys() >= KEYS[command].keys()
    for key, inner in KEYS[command].items():
        if inner and not (key == "findings" and command == "gate"):
            assert data[key], f"{key} is empty: nothing was looked at"
        for item in data[key] if inner else ():
            assert item.keys() >= set(inner)


def test_every_answer_is_one_object_also_for_an_error(run: Run, tmp_path: Path) -> None:
    ran = run("validate", "nothing-here", "--library", str(tmp_path), "--json")

    assert ran.json.keys() == {"format", "command", "ok", "data", "error"}
    assert ran.json["error"].keys() >= {"message", "hint", "exit"}
