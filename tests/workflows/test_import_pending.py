"""What Hermes holds back becomes proposals, once, and is told what became of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.propose.conftest import Loop, page

NAME = "csv-tables"


@pytest.fixture
def pending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "hermes"))
    folder = tmp_path / "hermes" / "pending" / "skills"
    folder.mkdir(parents=True)
    return folder


def hold(folder: Path, number: str, **payload: Any) -> Path:
    record = {
        "id": number,
        "subsystem": "skills",
        "action": payload.get("action"),
        "summary": f"write {number}",
        "origin": "background_review",
        "created_at": 1790000000.5,
        "payload": payload,
    }
    path = folder / f"{number}.json"
    path.write_text(json.dumps(record))
    return path


def patch(new: str, name: str = NAME) -> dict[str, Any]:
    old = "Do this, then that."
    return {"action": "patch", "name": name, "old_string": old, "new_string": new}


def test_records_become_proposals_once(loop: Loop, pending: Path) -> None:
    hold(pending, "0a1b2c3d", **patch("Do that."), category=None)
    create = {
        "action": "create",
        "name": "new-tables",
        "content": page("new-tables", "", "n"),
    }
    hold(pending, "ffffffff", action="batch", operations=[create])

    first = loop.ok("import-pending")["records"]
    again = loop.ok("import-pending")["records"]

    assert [(row["proposal"], row["created"]) for row in first] == [
        (1, True),
        (2, True),
    ]
    assert [(row["proposal"], row["created"]) for row in again] == [
        (1, False),
        (2, False),
    ]
    message = loop.folder.git("log", "-1", "--format=%B", first[0]["commit"])
    assert "Origin: agent-background" in message
    assert "Session: hermes-pending/0a1b2c3d" in message
    assert "write 0a1b2c3d" in message


def test_what_was_decided_is_reported_back_and_cleared(
    loop: Loop, pending: Path
) -> None:
    loop.policy("checks: [validate]\n")
    merged = hold(pending, "aaaaaaaa", **patch("Do that."))
    closed = hold(pending, "bbbbbbbb", **patch("Do none.", "pdf-tables"))
    still = hold(
        pending,
        "cccccccc",
        action="create",
        name="new-tables",
        content=page("new-tables", "", "new"),
    )
    loop.ok("import-pending")
    loop.approve(1)
    loop.promote(1)
    loop.ok("close", 2, "--why", "No")

    answer = loop.ok("import-pending")
    states = [(row["proposal"], row["state"]) for row in answer["records"]]
    cleared = loop.ok("import-pending", "--clear")["cleared"]

    assert states == [(1, "merged"), (2, "closed"), (3, "open")]
    assert cleared == [merged.name, closed.name]
    assert [path.name for path in pending.iterdir()] == [still.name]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("{", "cannot be read", id="broken"),
        pytest.param("[]", "is not a change of a skill", id="list"),
        pytest.param(
            '{"id": "x", "subsystem": "memory", "payload": {}}',
            "is not a change of a skill",
            id="memory",
        ),
        pytest.param('{"id": "../x", "payload": {}}', "no valid id", id="id"),
        pytest.param(
            '{"id": "x", "payload": {"action": "rm"}}', "unknown action", id="action"
        ),
        pytest.param(
            '{"id": "x", "payload": {"action": "delete", "name": "nothing"}}',
            "the library has no skill",
            id="unknown",
        ),
        pytest.param(
            json.dumps(
                {
                    "id": "x",
                    "payload": {"action": "create", "name": "n", "content": "x"},
                }
            ),
            "is not valid",
            id="invalid",
        ),
    ],
)
def test_a_record_that_cannot_be_proposed_stops_no_other(
    loop: Loop, pending: Path, text: str, says: str
) -> None:
    (pending / "aaa.json").write_text(text)
    hold(pending, "bbbbbbbb", **patch("Do that."))

    ran = loop("import-pending", "--json")

    bad, good = ran.data["records"]
    assert ran.code == 1
    assert says in bad["why_not"], bad
    assert good["proposal"] == 1


def test_nothing_held_back_is_fine(loop: Loop, pending: Path) -> None:
    pending.rmdir()  # Hermes makes it for its first record

    ran = loop("import-pending")

    assert (ran.code, ran.out) == (0, "no changes pending in Hermes\n")


def test_a_folder_that_is_named_has_to_exist(loop: Loop, tmp_path: Path) -> None:
    ran = loop("import-pending", tmp_path / "nowhere")

    assert ran.code == 2
    assert "no such folder" in ran.err


def test_an_agents_record_cannot_make_itself_a_persons(
    loop: Loop, pending: Path
) -> None:
    path = hold(pending, "dddddddd", **patch("Do that."), origin="human")
    record = json.loads(path.read_text()) | {"origin": "human"}
    path.write_text(json.dumps(record))

    loop("import-pending")

    assert loop.ok("proposals")["proposals"][0]["origin"] == "agent-background"
