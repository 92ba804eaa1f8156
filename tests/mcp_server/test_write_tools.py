"""Whatever an agent wants changed waits for a reviewer."""

import json
from typing import Any

import pytest

from skillforge.mcp_server.context import LibraryContext
from skillforge.mcp_server.server import server_of
from tests.conftest import skill_md
from tests.learn.conftest import export_run
from tests.mcp_server.conftest import NAME, Agent, files_of, once, talk
from tests.propose.conftest import Loop, page

OLD, NEW = "Do this, then that.", "Do that, then this."


def test_a_batch_becomes_a_proposal_and_nothing_else(server: Any, loop: Loop) -> None:
    before, main = files_of(loop.folder.root), loop.main()

    answer = talk(server, lambda agent: agent.patch(OLD, NEW, why="Order", model="m-1"))

    assert (answer["staged"], answer["proposal"], answer["created"]) == (True, 1, True)
    assert answer["pending_id"] == "1"
    assert answer["checks"] == [{"name": "validate", "status": "passed"}]
    assert answer["results"][0] | {"file_path": None} == {
        "name": NAME, "action": "patch", "file_path": None, "success": True,
    }  # fmt: skip
    assert NEW in loop.text(NAME, answer["branch"])
    assert loop.folder.git("rev-parse", answer["branch"]).strip() == answer["commit"]
    message = loop.folder.git("log", "-1", "--format=%B", answer["commit"])
    assert "Origin: agent-foreground" in message
    assert "Model: m-1" in message
    assert "Session: " in message
    assert "Proposed-By: test-agent (agent) <test-agent@agents.invalid>" in message
    assert (files_of(loop.folder.root), loop.main()) == (before, main)
    loop.fsck()


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(
            {"action": "patch", "old_string": OLD, "new_string": NEW}, id="patch"
        ),
        pytest.param({"action": "edit", "content": page(NAME, "", "x")}, id="edit"),
        pytest.param({"action": "patch", "content": page(NAME, "", "x")}, id="rewrite"),
        pytest.param({"action": "delete"}, id="delete"),
        pytest.param(
            {
                "action": "write_file",
                "file_path": "references/a.md",
                "file_content": "A",
            },
            id="write-file",
        ),
    ],
)
def test_the_flat_form_does_the_same(
    server: Any, loop: Loop, given: dict[str, str]
) -> None:
    answer = once(server, "skill_manage", name=NAME, category=None, why="Flat", **given)

    assert answer["staged"], answer
    assert loop.ok("proposals")["proposals"][0]["skill"] == NAME


def test_a_skill_is_created_and_later_promoted_by_a_person(
    server: Any, loop: Loop
) -> None:
    text = page("new-tables", "", "brand", "new")

    answer = once(
        server, "skill_manage", action="create", name="new-tables", content=text
    )
    loop.approve(answer["proposal"])
    loop.promote(answer["proposal"])

    assert "brand" in once(server, "skill_view", name="new-tables")["content"]
    status = once(server, "proposal_status", proposal=answer["proposal"])
    assert (status["state"], status["origin"]) == ("merged", "agent-foreground")


def test_the_same_write_again_is_the_same_proposal(server: Any) -> None:
    first = talk(server, lambda agent: agent.patch(OLD, NEW))
    again = talk(server, lambda agent: agent.patch(OLD, NEW))

    assert (first["proposal"], again["created"]) == (again["proposal"], False)


def test_a_failed_patch_teaches(server: Any, loop: Loop) -> None:
    answer = talk(server, lambda agent: agent.patch("Do this then that.", NEW))

    assert "line 7" in answer["error"]
    assert OLD in answer["error"]
    assert answer["failed_index"] == 0
    assert loop.ok("proposals")["proposals"] == []


def test_a_draft_that_is_not_valid_is_not_proposed(server: Any, loop: Loop) -> None:
    answer = once(
        server, "skill_manage", action="create", name="x-y", content="# No header"
    )

    assert answer["findings"]
    assert "nothing was proposed" in answer["hint"]
    assert loop.ok("proposals")["proposals"] == []


@pytest.mark.parametrize(
    ("given", "says"),
    [
        pytest.param({}, "`operations` is missing", id="nothing"),
        pytest.param({"operations": "x"}, "`operations` is missing", id="text"),
        pytest.param(
            {"operations": [3]}, "operation 1 has an unknown action", id="number"
        ),
        pytest.param({"operations": []}, "1 to 20 operations", id="empty"),
        pytest.param(
            {"action": "promote", "name": NAME}, "unknown action", id="promote"
        ),
        pytest.param(
            {"action": "approve", "proposal": 1}, "unknown action", id="approve"
        ),
        pytest.param({"operations": [], "policy": "x"}, "1 to 20", id="policy"),
        pytest.param(
            {"action": "delete", "name": NAME, "waive": "scan"}, "'waive'", id="waive"
        ),
        pytest.param(
            {"action": "delete", "name": NAME, "origin": "human"}, "'human'", id="human"
        ),
        pytest.param(
            {"action": "delete", "name": NAME, "origin": "curator"},
            "'curator'",
            id="curator",
        ),
        pytest.param(
            {"action": "delete", "name": NAME, "examples": ["/etc/passwd"]},
            "not the id of an example",
            id="file",
        ),
        pytest.param(
            {"action": "delete", "name": NAME, "session": 7}, "'session'", id="session"
        ),
        pytest.param(
            {
                "action": "write_file",
                "name": NAME,
                "file_path": "../../skillforge.yaml",
                "file_content": "checks: []",
            },
            "is not allowed",
            id="outside",
        ),
    ],
)
def test_what_an_agent_may_not_ask_is_refused(
    server: Any, loop: Loop, given: dict[str, Any], says: str
) -> None:
    refs = loop.folder.git("for-each-ref")

    answer = once(server, "skill_manage", **given)

    assert says in answer["error"] + answer["hint"], answer
    assert loop.folder.git("for-each-ref") == refs


def test_a_skill_that_calls_itself_human_is_an_agents_all_the_same(
    server: Any, loop: Loop
) -> None:
    text = skill_md("by-whom", "metadata:\n  origin: human\n", "# By whom\n\nStep.\n")

    answer = once(server, "skill_manage", action="create", name="by-whom", content=text)

    [row] = loop.ok("proposals")["proposals"]
    assert answer["staged"], answer
    assert row["origin"] == "agent-foreground"


def test_an_agent_does_not_close_what_a_person_proposes(
    server: Any, loop: Loop
) -> None:
    mine = loop.propose(NAME, "a", "person's", "words")

    refused = talk(server, lambda agent: agent.patch(OLD, NEW, supersede=True))

    assert refused["conflict"]
    assert "an agent can't close it" in refused["hint"]
    assert once(server, "proposal_status", proposal=mine)["state"] == "open"


def test_an_agent_replaces_its_own_proposal(server: Any) -> None:
    first = talk(server, lambda agent: agent.patch(OLD, NEW))
    other = talk(server, lambda agent: agent.patch(OLD, "Nothing.", supersede=True))

    assert other["proposal"] != first["proposal"]
    state = once(server, "proposal_status", proposal=first["proposal"])["state"]
    assert state == "closed"


def background(loop: Loop) -> Any:
    return server_of(LibraryContext(loop.folder.root, is_background=True))


def test_a_background_agent_reads_before_it_writes(loop: Loop) -> None:
    async def work(agent: Agent) -> tuple[dict[str, Any], dict[str, Any]]:
        blind = await agent.patch(OLD, NEW)
        await agent("skill_view", name=NAME)
        return blind, await agent.patch(OLD, NEW)

    blind, seeing = talk(background(loop), work)

    assert blind["_read_before_write_required"]
    assert f'skill_view(name="{NAME}"' in blind["hint"]
    assert seeing["staged"]
    message = loop.folder.git("log", "-1", "--format=%B", seeing["commit"])
    assert "Origin: agent-background" in message


def test_what_was_read_before_main_moved_does_not_count(loop: Loop) -> None:
    async def work(agent: Agent) -> dict[str, Any]:
        await agent("skill_view", name=NAME)
        loop.land(NAME, "Do this, then that.")
        return await agent.patch(OLD, NEW)

    answer = talk(background(loop), work)

    assert answer["_read_before_write_required"]


def test_a_file_is_read_before_it_is_written_over(loop: Loop) -> None:
    loop.folder.write(f"skills/{NAME}/scripts/run.py", "print(1)\n" * 807)
    loop.folder.commit()
    write = {
        "action": "write_file",
        "name": NAME,
        "file_path": "scripts/run.py",
        "file_content": "print(2)\n",
    }

    async def work(agent: Agent) -> list[dict[str, Any]]:
        await agent("skill_view", name=NAME)
        blind = await agent("skill_manage", **write)
        await agent("skill_view", name=NAME, file_path="scripts/run.py")
        return [blind, await agent("skill_manage", **write)]

    blind, seeing = talk(background(loop), work)

    assert "scripts/run.py" in blind["error"]
    assert seeing["staged"]


def test_a_new_skill_needs_no_reading(loop: Loop) -> None:
    text = page("new-tables", "", "brand", "new")
    create = {"action": "create", "name": "new-tables", "content": text}
    more = {
        "action": "write_file",
        "name": "new-tables",
        "file_path": "references/a.md",
        "file_content": "A",
    }

    answer = once(background(loop), "skill_manage", operations=[create, more])

    assert answer["staged"], answer


def test_an_agent_cannot_vote_in_the_name_of_a_person(server: Any) -> None:
    answer = once(
        server, "skill_record", name=NAME, outcome="success", verified_by="human"
    )

    assert "verify an outcome as a person" in answer["error"]


def test_a_transcript_is_redacted_and_kept_for_a_person(
    server: Any, loop: Loop
) -> None:
    talk_of = export_run("orders", extra=" for ada@example.org")

    answer = once(server, "skill_capture", transcript=json.dumps(talk_of))

    assert answer["kept"] == 1
    assert "ada@example.org" not in json.dumps(answer)
    assert (
        loop.run("examples", "list", "--json", "--library", str(loop.folder.root)).data[
            "examples"
        ][0]["status"]
        == "pending"
    )


@pytest.mark.parametrize(
    ("given", "says"),
    [
        pytest.param({}, "give either", id="nothing"),
        pytest.param(
            {"transcript": "{}", "transcript_path": "/x"}, "give either", id="both"
        ),
        pytest.param(
            {"transcript_path": "/nowhere/x.jsonl"}, "no such file", id="missing"
        ),
        pytest.param({"transcript_path": "/tmp"}, "is a folder", id="folder"),
        pytest.param({"transcript": "hello"}, "not a transcript", id="prose"),
    ],
)
def test_an_invalid_transcript_is_refused(
    server: Any, given: dict[str, str], says: str
) -> None:
    answer = once(server, "skill_capture", **given)

    assert says in answer["error"]


def test_status_lists_open_proposals_and_remarks(server: Any, loop: Loop) -> None:
    answer = talk(server, lambda agent: agent.patch(OLD, NEW))
    number = answer["proposal"]
    assert [
        proposal["number"] for proposal in once(server, "proposal_status")["proposals"]
    ] == [number]
    loop.ok("review", number, "--reject", "--why", "Too vague", "--as", "Rita <r@x.y>")

    status = once(server, "proposal_status", proposal=number)

    assert status["state"] == "closed"
    assert "Too vague" in json.dumps(status["comments"])
    assert once(server, "proposal_status", skill=NAME)["count"] == 1
    assert "99" in once(server, "proposal_status", proposal=99)["error"]
