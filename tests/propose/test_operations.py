"""A batch on standard input: all of it becomes one proposal, or none of it does."""

import io
import json
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillforge.errors import SkillforgeError
from skillforge.propose import operations
from tests.conftest import Ran, skill_md
from tests.propose.conftest import Loop, body


@pytest.fixture
def send(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Call `skillforge propose` with a text on standard input."""

    def call(text: str, *options: str) -> Ran:
        stdin = io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stdin)
        return loop("propose", *options, "--json")

    return call


def create(name: str, *words: str) -> dict[str, str]:
    content = skill_md(name, body=body(*(words or (name,))))
    return {"action": "create", "name": name, "content": content}


def test_a_batch_is_one_proposal(loop: Loop, send: Any) -> None:
    script = {
        "action": "write_file",
        "name": "xlsx-tables",
        "file_path": "scripts/x.py",
    }

    ran = send(
        loop.batch(
            create("xlsx-tables"), script | {"file_content": "print(1)\n"}, why="W"
        )
    )

    assert ran.code == 0, ran.err
    assert ran.data["proposal"] == 1
    files = loop.folder.git(
        "ls-tree", "-r", "--name-only", ran.data["commit"], "skills/"
    )
    assert "skills/xlsx-tables/scripts/x.py" in files
    assert "skills/csv-tables/SKILL.md" in files
    assert "\nW\n" in loop.folder.git("log", "-1", "--format=%B", ran.data["commit"])


def test_a_flat_operation_and_a_bare_list_are_understood(loop: Loop, send: Any) -> None:
    assert send(json.dumps(create("xlsx-tables"))).code == 0
    assert send(json.dumps([create("ods-tables")]), "-").code == 0


def test_edit_replaces_the_document_and_keeps_the_rest(loop: Loop, send: Any) -> None:
    loop.folder.write("skills/csv-tables/scripts/x.sh", "#!/bin/sh\n").chmod(0o755)
    loop.folder.commit()
    text = skill_md("csv-tables", body=body("new"))

    ran = send(loop.batch({"action": "edit", "name": "csv-tables", "content": text}))

    commit = ran.data["commit"]
    assert "About new" in loop.text("csv-tables", commit)
    listed = loop.folder.git("ls-tree", "-r", commit, "skills/csv-tables/scripts/")
    assert listed.startswith("100755")


def patch(**keys: Any) -> dict[str, Any]:
    return {"action": "patch", "name": "csv-tables", **keys}


def test_a_patch_replaces_text_that_is_there_once(loop: Loop, send: Any) -> None:
    ran = send(loop.batch(patch(old_string="then that", new_string="then more")))

    assert ran.code == 0
    assert "Do this, then more." in loop.text("csv-tables", ran.data["commit"])


def test_a_patch_that_does_not_match_shows_the_nearest_text(
    loop: Loop, send: Any
) -> None:
    ran = send(loop.batch(patch(old_string="Do this, than that", new_string="x")))

    assert ran.code == 2
    assert "line 7: 'Do this, then that.'" in ran.json["error"]["message"]


def test_a_patch_has_to_match_once(loop: Loop, send: Any) -> None:
    loop.write("csv-tables", "same", "same")
    loop.folder.commit()
    many = patch(old_string="Do same", new_string="Do other")

    ran = send(loop.batch(many))
    assert ran.code == 2
    assert "4 times" in ran.json["error"]["message"]

    ran = send(loop.batch(many | {"replace_all": True}))
    assert loop.text("csv-tables", ran.data["commit"]).count("Do other") == 4


def test_a_patch_may_name_the_version_it_was_made_for(loop: Loop, send: Any) -> None:
    version = loop.tree("csv-tables")
    operation = patch(old_string="then that", new_string="then more", version=version)
    assert send(loop.batch(operation)).code == 0
    loop.ok("close", 1)

    loop.land("csv-tables", "entirely", "different")
    stale = send(loop.batch(operation))
    unknown = send(loop.batch(operation | {"version": "f" * 40}))

    assert stale.code == 2  # it matches what the caller saw, not what is there now
    assert "the nearest text" in stale.json["error"]["message"]
    assert unknown.code == 2
    assert "no version" in unknown.json["error"]["message"]


def test_a_patch_for_a_version_that_lacks_the_text_is_refused(
    loop: Loop, send: Any
) -> None:
    version = loop.tree("csv-tables")
    loop.land("csv-tables", "entirely", "different")

    ran = send(
        loop.batch(
            patch(old_string="Do entirely number 1", new_string="x", version=version)
        )
    )

    assert ran.code == 2


def test_delete_remove_and_consolidate(loop: Loop, send: Any) -> None:
    loop.folder.write("skills/csv-tables/notes.md", "x")
    loop.folder.commit()
    removal = {"action": "remove_file", "name": "csv-tables", "file_path": "notes.md"}
    gone = {"action": "delete", "name": "pdf-tables", "absorbed_into": "csv-tables"}

    data = send(loop.batch(removal, gone)).data

    trailers = loop.folder.git("log", "-1", "--format=%(trailers)", data["commit"])
    assert "Action: consolidate\n" in trailers
    assert "Absorbed-Into: csv-tables\n" in trailers
    changed = loop.folder.git("diff", "--name-status", "main", data["commit"])
    assert "D\tskills/pdf-tables/SKILL.md" in changed
    assert "D\tskills/csv-tables/notes.md" in changed


def test_a_delete_that_names_its_heir(loop: Loop, send: Any) -> None:
    gone = {"action": "delete", "name": "pdf-tables", "absorbed_into": "csv-tables"}

    data = send(loop.batch(gone)).data

    trailers = loop.folder.git("log", "-1", "--format=%(trailers)", data["commit"])
    assert "Skill: pdf-tables\nAction: delete\n" in trailers
    assert "Absorbed-Into: csv-tables\n" in trailers


WRITE = {"action": "write_file", "name": "csv-tables", "file_content": "x"}


@pytest.mark.parametrize(
    ("batch", "says"),
    [
        pytest.param([], "1 to 20 operations", id="none"),
        pytest.param([create("a-b")] * 21, "1 to 20 operations", id="too-many"),
        pytest.param([{"action": "explode", "name": "x"}], "actions are", id="action"),
        pytest.param([{"action": "create", "name": "x-y"}], "`content`", id="content"),
        pytest.param([create("x-y") | {"contnet": "x"}], "contnet", id="key"),
        pytest.param([create("x-y") | {"content": 3}], "not text", id="type"),
        pytest.param(["create"], "unknown action", id="text"),
        pytest.param([create("../x")], "is not a valid skill name", id="name-up"),
        pytest.param([create("-x")], "is not a valid skill name", id="name-dash"),
        pytest.param([create("x-y\n")], "is not a valid skill name", id="name-newline"),
        pytest.param([patch(old_string="", new_string="x")], "empty", id="empty-old"),
        pytest.param(
            [create("one-a"), create("two-b")], "several skills", id="several"
        ),
        pytest.param(
            [WRITE | {"name": "csv-table", "file_path": "a"}],
            "did you mean csv-tables",
            id="who",
        ),
        pytest.param([WRITE | {"file_path": "../x"}], "`..`", id="up"),
        pytest.param([WRITE | {"file_path": "/etc/x"}], "relative", id="absolute"),
        pytest.param([WRITE | {"file_path": "C:x"}], "relative", id="drive"),
        pytest.param([WRITE | {"file_path": "a\\b"}], "Windows", id="backslash"),
        pytest.param([WRITE | {"file_path": "a//b"}], "empty part", id="double-slash"),
        pytest.param(
            [WRITE | {"file_path": "x/SKILL.md"}], "one SKILL.md", id="nested"
        ),
        pytest.param(
            [WRITE | {"file_path": ".git/config"}], "reserves the name", id="git"
        ),
        pytest.param([WRITE | {"file_path": "x/.GIT /y"}], "Windows", id="git-windows"),
        pytest.param(
            [WRITE | {"file_path": "GIT~1/x"}], "reserves the name", id="git-short"
        ),
        pytest.param([WRITE | {"file_path": "x\x07"}], "invisible", id="control"),
        pytest.param(
            [{"action": "remove_file", "name": "csv-tables", "file_path": "SKILL.md"}],
            "use `delete`",
            id="remove-document",
        ),
        pytest.param(
            [{"action": "remove_file", "name": "csv-tables", "file_path": "nope"}],
            "its files are SKILL.md",
            id="remove-nothing",
        ),
        pytest.param(
            [WRITE | {"file_path": "a"}, {"action": "delete", "name": "csv-tables"}],
            "only operation",
            id="delete-after",
        ),
        pytest.param(
            [{"action": "delete", "name": "csv-tables"}, WRITE | {"file_path": "a"}],
            "only operation",
            id="delete-before",
        ),
        pytest.param(
            [{"action": "delete", "name": "csv-tables", "absorbed_into": "nobody"}],
            "not a skill of the library",
            id="absorbed-into-nothing",
        ),
        pytest.param(
            [WRITE | {"file_path": "a"}, {"action": "delete", "name": "pdf-tables"}],
            "absorbed_into: csv-tables",
            id="delete-another",
        ),
    ],
)
def test_a_mistake_is_named_and_nothing_is_proposed(
    loop: Loop, send: Any, batch: list[Any], says: str
) -> None:
    refs = loop.folder.git("for-each-ref")

    ran = send(json.dumps({"operations": batch}))

    error = ran.json["error"]
    assert ran.code == 2
    assert says in error["message"] + error["hint"]
    assert loop.folder.git("for-each-ref") == refs


@pytest.mark.parametrize(
    "text",
    ["", "{", "3", "null", "[[[[", '{"operations": 3}', '{"ops": []}', "\udcff"],
)
def test_an_invalid_batch_is_refused(loop: Loop, send: Any, text: str) -> None:
    assert send(text.encode("utf-8", "replace").decode()).code == 2


def test_create_of_what_exists_is_a_conflict(loop: Loop, send: Any) -> None:
    ran = send(loop.batch(create("csv-tables")))

    assert ran.code == 4
    assert "`edit` or `patch`" in ran.json["error"]["hint"]


def test_options_of_a_batch(loop: Loop, send: Any) -> None:
    sent = loop.batch(create("xlsx-tables"), origin="agent-background", session="7")
    data = send(sent).data

    trailers = loop.folder.git("log", "-1", "--format=%(trailers)", data["commit"])
    assert "Origin: agent-background\n" in trailers
    assert "Session: 7\n" in trailers
    assert send(loop.batch(create("a-b"), origin="god")).code == 2
    assert send(loop.batch(create("a-b"), bump="huge")).code == 2
    assert send(loop.batch(create("a-b"), examples="x")).code == 2
    assert send(loop.batch(create("a-b"), whence="x")).code == 2


texts = st.text(max_size=20) | st.sampled_from(["csv-tables", "SKILL.md", "Do this"])
an_operation = st.dictionaries(
    st.sampled_from([*operations._TEXTS, "replace_all", "other"]),
    texts | st.booleans() | st.none() | st.integers(),
) | st.fixed_dictionaries(
    {
        "action": st.sampled_from([*operations._REQUIRED]),
        "name": st.just("csv-tables") | texts,
    },
    optional=dict.fromkeys(operations._TEXTS[2:], texts),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(batch=st.lists(an_operation, max_size=4))
def test_any_batch_is_a_draft_or_a_clear_error(
    loop: Loop, batch: list[dict[str, Any]]
) -> None:
    try:
        read, _ = operations.read_batch(json.dumps({"operations": batch}))
        draft = operations.draft_of(loop.folder.library, loop.main(), read)
    except SkillforgeError as err:
        is_clear = bool(err.message and err.hint)
    else:
        is_clear = all(".." not in path.split("/") for path in draft.files)
    assert is_clear
