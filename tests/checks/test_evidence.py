"""The gate's check `evidence`: what an agent's skill has to rest on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillforge.model import Example
from skillforge.model.example import digest
from skillforge.redact.decoded_views import plain
from tests.conftest import LibraryFolder, Run
from tests.learn.conftest import Learner, export_run, export_runs

Change = Callable[[Path], None]


@pytest.fixture
def learner(library: LibraryFolder, run: Run, tmp_path: Path) -> Learner:
    place = tmp_path / "transcripts"
    place.mkdir()
    return Learner(library, run, place)


def judged(learner: Learner, *rows: object, change: Change | None = None) -> set[str]:
    """Draft from runs, change the evidence, propose; what the gate's check says."""
    (pattern,) = learner.learn(*rows)
    skill = learner.ok("draft", pattern["id"])["skill"]
    folder = learner.folder.root / "evidence" / skill
    if change:
        change(folder)
    number = learner.ok("propose", skill)["proposal"]
    data = learner("gate", number, "--json").data
    found = [finding for finding in data["findings"] if finding["rule"] == "evidence"]
    statuses = {check["name"]: check["status"] for check in data["checks"]}
    assert statuses["evidence"] == ("failed" if found else "passed")
    return {finding["message"] for finding in found}


def record_of(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


def test_a_draft_of_ours_rests_on_enough(learner: Learner) -> None:
    assert judged(learner, *export_runs(5, 1)) == set()


def test_four_examples_are_too_few(learner: Learner) -> None:
    (message,) = judged(learner, *export_runs(4, 2))
    assert message.startswith("has 4 approved examples")


def test_two_sessions_are_too_few(learner: Learner) -> None:
    rows = [export_run(row["session"][2:]) for row in export_runs(6, 0)]
    rows = [row | {"session": f"s{n % 2}"} for n, row in enumerate(rows)]
    (message,) = judged(learner, *rows)
    assert message.startswith("has examples from 2 sessions")


def test_the_policy_says_how_many(learner: Learner) -> None:
    learner.folder.write("skillforge.yaml", "evidence: {examples: 3, sessions: 1}\n")
    learner.folder.commit()
    assert judged(learner, *export_runs(3, 0)) == set()


def test_changed_evidence_does_not_match_its_digest(
    learner: Learner,
) -> None:
    def change(folder: Path) -> None:
        path = min(folder.iterdir())
        path.write_text(path.read_text().replace("no such table", "all went well"))

    assert judged(learner, *export_runs(6, 0), change=change) == {
        "the content does not match the digest"
    }


def test_who_drafts_does_not_choose_what_is_held_out(learner: Learner) -> None:
    def change(folder: Path) -> None:
        for path in folder.iterdir():
            path.write_text(json.dumps(record_of(path) | {"held_out": False}))

    assert judged(learner, *export_runs(6, 0), change=change) == {"should be held out"}


@pytest.mark.parametrize(
    ("private", "kind"),
    [
        pytest.param("Ask bo@corp.example", "email", id="mail"),
        pytest.param('{"user": {"billingZip": "78750"}}', "postcode", id="zip"),
        pytest.param("STREET_ADDRESS='975 Sunset Drive'", "address", id="street"),
        pytest.param("- Date of birth: 1990-04-05", "birthdate", id="birth"),
    ],
)
def test_what_is_private_is_found_again(
    learner: Learner, private: str, kind: str
) -> None:
    def change(folder: Path) -> None:
        path = min(folder.iterdir())
        about = record_of(path)
        about["notes"] = private
        path.unlink()
        number = digest(Example.of(about).observed)
        path.with_name(f"{number}.json").write_text(json.dumps(about))

    messages = judged(learner, *export_runs(6, 0), change=change)

    assert f"contains private data that is not redacted (1 {kind})" in messages


KEY = "AKIA" + "Q7XK3M9PLW2RT5YZ"
GREP = f"a.py:\x1b[32m3\x1b[m:key=\x1b[01;31m\x1b[K{KEY[:4]}\x1b[m\x1b[K{KEY[4:]}"


def coloured_run(row: dict[str, Any]) -> dict[str, Any]:
    """A run in which the agent searched with `grep --color`."""
    messages = [dict(message) for message in row["messages"]]
    answer = next(
        message for message in messages if message["content"] == "id,amount\n1,2"
    )
    answer["content"] = f"{GREP}\n{GREP[:30]}"
    return row | {"messages": messages}


def test_a_coloured_key_does_not_reach_the_evidence(learner: Learner) -> None:
    texts: list[str] = []

    def look(folder: Path) -> None:
        texts.extend(plain(str(record_of(path))) for path in folder.iterdir())

    rows = [coloured_run(row) for row in export_runs(6, 0)]

    assert judged(learner, *rows, change=look) == set()
    assert len(texts) == 6
    assert not [text for text in texts if KEY[4:] in text]
    assert all("a.py:" in text and "<SECRET_1>" in text for text in texts)


@pytest.mark.parametrize(
    "hidden",
    [
        pytest.param(GREP, id="coloured"),
        pytest.param(f"{KEY[:9]}\u200b{KEY[9:]}", id="zero-width"),
        pytest.param(f"key {KEY[:9]}\n{KEY[9:]}\nend", id="wrapped"),
        pytest.param("".join(f"&#{ord(letter)};" for letter in KEY), id="entities"),
        pytest.param("log in with user ada pass hunter2", id="sentence"),
    ],
)
def test_a_hidden_secret_in_evidence_made_by_hand_is_refused(
    learner: Learner, hidden: str
) -> None:
    def change(folder: Path) -> None:
        path = min(folder.iterdir())
        about = record_of(path) | {"notes": hidden}
        path.unlink()
        number = digest(Example.of(about).observed)
        path.with_name(f"{number}.json").write_text(json.dumps(about))

    messages = judged(learner, *export_runs(6, 0), change=change)

    assert any("not redacted (1 secret" in message for message in messages)


def test_unapproved_or_unverified_examples_do_not_count(learner: Learner) -> None:
    def change(folder: Path) -> None:
        pending, judged_by_model, *_ = sorted(folder.iterdir())
        about = record_of(pending)
        about["review"]["status"] = "pending"
        pending.write_text(json.dumps(about))
        about = record_of(judged_by_model)
        about["outcome"]["source"] = "llm"
        judged_by_model.write_text(json.dumps(about))

    (message,) = judged(learner, *export_runs(6, 0), change=change)
    assert message.startswith("has 4 approved examples")


@pytest.mark.parametrize("text", ["{}", "not JSON", "[" * 100_000, "[1]"])
def test_an_invalid_example_does_not_count(learner: Learner, text: str) -> None:
    def change(folder: Path) -> None:
        (folder / f"{'0' * 64}.json").write_text(text)

    if text in ("not JSON", "[1]", "[" * 100_000):
        (pattern,) = learner.learn(*export_runs(6, 0))
        skill = learner.ok("draft", pattern["id"])["skill"]
        change(learner.folder.root / "evidence" / skill)
        assert learner("propose", skill).code == 2
    else:
        assert "not an example" in judged(learner, *export_runs(6, 0), change=change)


def test_one_run_under_many_names_counts_once(learner: Learner) -> None:
    rows = [export_run("orders") | {"session": f"s{n}"} for n in range(6)]

    messages = judged(learner, *rows)

    assert any(message.startswith("has 1 approved example") for message in messages)


def test_examples_of_another_task_are_not_evidence(learner: Learner) -> None:
    def change(folder: Path) -> None:
        skill = folder.parents[1] / "skills" / folder.name / "SKILL.md"
        head, _, _ = skill.read_text().partition("---\n# ")
        text = "\n## Steps\n\n1. Bake bread.\n"
        sections = ("When to use", "Inputs", "Tools", "Output", "Failure handling")
        text += "".join(f"\n## {section}\n\nBread.\n" for section in sections)
        text += "\n## Verification\n\nEat.\n\n## Pitfalls\n\n- Crumbs.\n"
        name = skill.read_text().split("\n")[1]
        header = f"---\n{name}\ndescription: Bakes bread. Use when hungry.\nmetadata:\n"
        skill.write_text(f"{header}  origin: agent-background\n---\n# Bread\n{text}")
        assert head

    assert "most examples are unrelated to the skill" in judged(
        learner, *export_runs(6, 0), change=change
    )


@pytest.mark.slow
@pytest.mark.parametrize("where", ["session", "started", "format"])
def test_no_field_of_an_example_is_overlooked(learner: Learner, where: str) -> None:
    def change(folder: Path) -> None:
        path = min(folder.iterdir())
        about = record_of(path) | {where: "bo@corp.example"}
        path.unlink()
        number = digest(Example.of(about).observed)
        path.with_name(f"{number}.json").write_text(json.dumps(about))

    assert judged(learner, *export_runs(6, 0), change=change)


def test_a_key_that_is_there_twice_hides_nothing(learner: Learner) -> None:
    def change(folder: Path) -> None:
        path = min(folder.iterdir())
        path.write_text(
            path.read_text().replace("{", '{"notes": "bo@corp.example",', 1)
        )

    assert "not an example" in judged(learner, *export_runs(6, 0), change=change)


def test_a_skill_of_a_person_needs_none(learner: Learner) -> None:
    learner.folder.add_skill("by-hand")
    number = learner.ok("propose", "by-hand")["proposal"]
    data = learner("gate", number, "--json").data
    assert {check["name"]: check["status"] for check in data["checks"]}[
        "evidence"
    ] == "passed"


def test_an_agent_cannot_do_without(learner: Learner) -> None:
    learner.folder.add_skill("by-agent")
    options = ("--origin", "agent-foreground")
    number = learner.ok("propose", "by-agent", *options)["proposal"]
    data = learner("gate", number, "--json").data
    assert {check["name"]: check["status"] for check in data["checks"]}[
        "evidence"
    ] == "failed"
