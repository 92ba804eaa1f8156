"""`export`: approved examples to train a model with, redacted."""

import hashlib
import json
from pathlib import Path
from typing import Any

from tests.learn.conftest import Learner, export_run, export_runs


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_successes_become_conversations_and_failures_pairs(
    learner: Learner, tmp_path: Path
) -> None:
    learner.learn(*export_runs(4, 2))
    out = tmp_path / "out"

    done = learner.ok("export", out)

    assert (done["conversations"], done["pairs"]) == (4, 2)
    talk = rows(out / "sharegpt.jsonl")[0]["conversations"]
    assert [turn["from"] for turn in talk[:3]] == ["human", "gpt", "tool"]
    assert talk[1]["value"].startswith('<tool_call>\n{"name": "query"')
    assert talk[2]["value"] == "<tool_response>\nError: no such table\n</tool_response>"
    assert talk[-1]["from"] == "gpt"
    pair = rows(out / "dpo.jsonl")[0]
    assert pair["chosen"][0]["from"] == "gpt"
    assert "read_file" in json.dumps(pair["chosen"])
    assert "read_file" not in json.dumps(pair["rejected"])
    manifest = json.loads((out / "manifest.json").read_text())
    for name, digest in manifest["sha256"].items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    assert (manifest["conversations"], manifest["pairs"]) == (4, 2)


def test_what_was_exported_can_be_captured_again(
    learner: Learner, tmp_path: Path
) -> None:
    learner.learn(*export_runs(4, 0))
    learner.ok("export", tmp_path / "out")

    done = learner.ok("capture", tmp_path / "out" / "sharegpt.jsonl", "--dry-run")

    assert done["kept"] + done["skipped"] == 4
    assert done["problems"] == []


def test_only_what_was_approved_and_verified_is_exported(
    learner: Learner, tmp_path: Path
) -> None:
    learner.capture(*export_runs(3, 0), export_run("bills", None))
    nothing = learner("export", tmp_path / "out")
    assert nothing.code == 4
    for row in learner.examples()[1:]:
        learner.ok("examples", "approve", row["id"])

    assert learner.ok("export", tmp_path / "out")["conversations"] == 2


def test_an_export_stays_out_of_the_library_and_replaces_nothing(
    learner: Learner, tmp_path: Path
) -> None:
    learner.learn(*export_runs(3, 0))
    assert learner("export", learner.folder.root / "out").code == 2
    assert learner("export", learner.folder.root / ".git" / "out").code == 2

    learner.ok("export", tmp_path / "out")
    learner.ok("export", tmp_path / "out")
    learner.learn(export_run("bills"))
    assert learner("export", tmp_path / "out").code == 4
    assert learner.ok("export", tmp_path / "out", "--force")["conversations"] == 4
