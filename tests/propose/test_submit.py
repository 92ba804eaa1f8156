"""`propose`: a draft becomes a branch and a proposal; the checkout stays as it is."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import LibraryFolder, Run
from tests.propose.conftest import Loop


def snapshot(library: LibraryFolder) -> str:
    """All that a user could see change in their checkout."""
    index = (library.root / ".git/index").read_bytes().hex()
    status = library.git("status", "--porcelain", "--branch")
    return f"{status}{library.git('rev-parse', 'HEAD')}{index}"


def test_a_draft_becomes_a_branch_and_a_proposal(loop: Loop, tmp_path: Path) -> None:
    data = loop.ok("propose", loop.draft(tmp_path, "xlsx-tables"), "--why", "Needed")

    assert data["proposal"] == 1
    assert data["created"] is True
    assert data["branch"].startswith("skill/xlsx-tables/")
    assert len(data["branch"].rpartition("/")[2]) == 8
    assert loop.folder.git("rev-parse", data["branch"]).strip() == data["commit"]
    assert "About xlsx-tables" in loop.text("xlsx-tables", data["branch"])
    loop.fsck()


def test_the_commit_has_the_trailers_of_the_design(loop: Loop, tmp_path: Path) -> None:
    example = tmp_path / "example.json"
    example.write_text('{"task": "read a table"}')
    draft = loop.draft(tmp_path, "xlsx-tables")
    options = ("--origin", "agent-foreground", "--session", "s 1", "--model", "m-2")

    data = loop.ok(
        "propose", draft, "--example", example, "--why", "Why\n\nnot", *options
    )

    trailers = loop.folder.git("log", "-1", "--format=%(trailers)", data["commit"])
    number = trailers.split("Example: ")[1].split("\n")[0]
    assert "Skill: xlsx-tables\n" in trailers
    assert "Action: create\n" in trailers
    assert "Origin: agent-foreground\n" in trailers
    assert "Proposed-By: Test <test@example.invalid>\n" in trailers
    assert "Draft-Digest: sha256:" in trailers
    assert "Session: s 1\n" in trailers
    assert "Model: m-2\n" in trailers
    evidence = f"{data['commit']}:evidence/xlsx-tables/{number}.json"
    assert loop.folder.git("show", evidence) == '{"task": "read a table"}'


def test_only_the_skill_and_its_evidence_change(loop: Loop, tmp_path: Path) -> None:
    data = loop.ok("propose", loop.draft(tmp_path, "xlsx-tables"))

    changed = loop.folder.git("diff", "--name-only", "main", data["commit"])
    assert changed == "skills/xlsx-tables/SKILL.md\n"


@pytest.mark.parametrize(
    ("before", "given", "options", "expected"),
    [
        pytest.param("", "", (), "1.0.0", id="create"),
        pytest.param("", "0.1.0", (), "0.1.0", id="create-with-own"),
        pytest.param("1.0.0", "1.0.0", (), "1.0.1", id="edit"),
        pytest.param("1.0.0", "1.1.0", (), "1.1.0", id="edit-with-own"),
        pytest.param("1.4.2", "1.4.2", ("--bump", "minor"), "1.5.0", id="minor"),
        pytest.param("1.4.2", "1.4.2", ("--bump", "major"), "2.0.0", id="major"),
        pytest.param("1.4", "1.3", (), "1.4.1", id="short"),
        pytest.param("1.10.0", "1.9.0", (), "1.10.1", id="numbers-not-text"),
        pytest.param("", "", ("--bump", "minor"), "1.0.0", id="create-bumped"),
    ],
)
def test_the_version_is_raised(
    loop: Loop,
    tmp_path: Path,
    before: str,
    given: str,
    options: tuple[str, ...],
    expected: str,
) -> None:
    def extra(version: str) -> str:
        return f'metadata:\n  version: "{version}"\n' if version else ""

    if before:
        loop.write("xlsx-tables", "one", extra=extra(before))
        loop.folder.commit()
    draft = loop.draft(tmp_path, "xlsx-tables", "two", extra=extra(given))

    data = loop.ok("propose", draft, *options)

    assert f'version: "{expected}"' in loop.text("xlsx-tables", data["commit"]).replace(
        f"version: {expected}\n", f'version: "{expected}"\n'
    )


def test_a_name_means_the_skill_in_the_checkout(loop: Loop) -> None:
    loop.write("csv-tables", "changed")

    data = loop.ok("propose", "csv-tables")

    assert data["skill"] == "csv-tables"
    assert "About changed" in loop.text("csv-tables", data["commit"])


def test_several_drafts_become_one_proposal_each(loop: Loop, tmp_path: Path) -> None:
    first, second = loop.draft(tmp_path, "aa-one"), loop.draft(tmp_path, "bb-two")

    data = loop.ok("propose", first, second)

    assert [(p["proposal"], p["skill"]) for p in data["proposals"]] == [
        (1, "aa-one"),
        (2, "bb-two"),
    ]


def test_if_one_of_several_is_invalid_none_is_proposed(
    loop: Loop, tmp_path: Path
) -> None:
    good, bad = loop.draft(tmp_path, "aa-one"), loop.draft(tmp_path, "bb-two")
    (bad / "SKILL.md").write_text("no frontmatter\n")

    ran = loop("propose", good, bad, "--json")

    assert ran.code == 1
    assert loop.ok("proposals")["proposals"] == []


def test_an_invalid_draft_is_refused_and_nothing_is_created(
    loop: Loop, tmp_path: Path
) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables")
    (draft / "SKILL.md").write_text("---\nname: other\n---\n")
    before = loop.folder.git("for-each-ref")
    objects = loop.folder.git("count-objects")

    ran = loop("propose", draft, "--json")

    assert ran.code == 1
    assert ran.json["ok"] is False
    assert "field-required" in ran.rules
    assert ran.data["proposal"] is None
    assert loop.folder.git("for-each-ref") == before
    assert loop.folder.git("count-objects") == objects


def test_the_rules_are_those_of_main_not_of_the_checkout(
    loop: Loop, tmp_path: Path
) -> None:
    loop.policy("rules:\n  description-when: error\n")
    loop.folder.write("skillforge.yaml", "rules:\n  description-when: 'off'\n")
    draft = loop.draft(tmp_path, "xlsx-tables")
    text = (
        (draft / "SKILL.md").read_text().replace("Use when data comes as a table.", "")
    )
    (draft / "SKILL.md").write_text(text)

    assert loop("propose", draft, "--json").rules == {"description-when"}


def test_an_agents_proposal_is_checked_with_the_rules_for_agents(
    loop: Loop, tmp_path: Path
) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables")
    with (draft / "SKILL.md").open("a") as file:
        file.write("\nThe browser tool does not work.\n")

    as_agent = loop("propose", draft, "--origin", "agent-background", "--json")
    as_human = loop("propose", draft, "--json")

    assert as_agent.code == 1
    assert "learned-helplessness" in as_agent.rules
    assert as_human.code == 0


def test_the_same_draft_again_is_the_same_proposal(loop: Loop, tmp_path: Path) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables")
    first = loop.ok("propose", draft)
    refs = loop.folder.git("for-each-ref")

    second = loop.ok("propose", draft, "--why", "Again")

    assert second["created"] is False
    assert second["proposal"] == first["proposal"]
    assert second["commit"] == first["commit"]
    assert loop.folder.git("for-each-ref") == refs


def test_the_same_draft_after_its_merge_is_that_proposal(
    loop: Loop, tmp_path: Path
) -> None:
    loop.land("xlsx-tables")
    draft = loop.draft(tmp_path, "xlsx-tables")

    data = loop.ok("propose", draft)

    assert data["created"] is False
    assert data["proposal"] == 1
    assert data["state"] == "merged"


def test_what_main_holds_already_is_nothing_to_propose(loop: Loop) -> None:
    ran = loop("propose", "csv-tables")

    assert ran.code == 4
    assert "already has exactly this" in ran.err


def test_a_second_proposal_for_a_skill_waits(loop: Loop, tmp_path: Path) -> None:
    loop.propose("xlsx-tables", "one")

    ran = loop("propose", loop.draft(tmp_path, "xlsx-tables", "two"))

    assert ran.code == 4
    assert "proposal 1" in ran.err
    assert "--supersede" in ran.err


def test_supersede_closes_the_other_one(loop: Loop, tmp_path: Path) -> None:
    first = loop.propose("xlsx-tables", "one")

    draft = loop.draft(tmp_path, "xlsx-tables", "two")
    second = loop.ok("propose", draft, "--supersede")["proposal"]

    states = {p["number"]: p["state"] for p in loop.ok("proposals")["proposals"]}
    assert states == {first: "closed", second: "open"}


def test_a_near_copy_of_a_skill_is_refused_with_a_hint(
    loop: Loop, tmp_path: Path
) -> None:
    words = [f"word{n}" for n in range(40)]
    loop.write("xlsx-tables", *words)
    loop.folder.commit()

    ran = loop("propose", loop.draft(tmp_path, "excel-tables", *words[:39], "other"))

    assert ran.code == 4
    assert "xlsx-tables" in ran.err
    assert "skillforge propose xlsx-tables" in ran.err


def test_similar_skills_are_not_near_copies(loop: Loop, tmp_path: Path) -> None:
    words = [f"word{n}" for n in range(40)]
    loop.write("xlsx-tables", *words)
    loop.folder.commit()

    other = [f"other{n}" for n in range(10)]
    assert (
        loop("propose", loop.draft(tmp_path, "ods-tables", *words[:30], *other)).code
        == 0
    )


def test_an_unfilled_template_is_refused_as_one(loop: Loop) -> None:
    loop.ok("new", "alpha-work", "--description", "Reads tables. Use when asked.")
    loop.ok("new", "beta-work", "--description", "Writes pages. Use when asked.")

    for name in ("alpha-work", "beta-work"):
        assert loop("propose", name, "--json").rules == {"template-text"}


def test_a_near_copy_is_seen_after_the_other_was_just_promoted(
    loop: Loop, tmp_path: Path
) -> None:
    words = [f"word{n}" for n in range(40)]
    loop.land("first-skill", "something", "else")
    loop.land("xlsx-tables", *words)

    assert loop("propose", loop.draft(tmp_path, "excel-tables", *words)).code == 4


def test_the_cap_on_open_proposals(loop: Loop, tmp_path: Path) -> None:
    loop.policy("proposals:\n  open: 2\n")
    loop.propose("aa-one")
    loop.propose("bb-two")

    ran = loop("propose", loop.draft(tmp_path, "cc-three"))

    assert ran.code == 4
    assert "2 proposals are open" in ran.err


def test_a_skill_may_not_grow_without_end(loop: Loop, tmp_path: Path) -> None:
    words = [f"word{n}" for n in range(200)]
    loop.land("xlsx-tables", *words)

    much = loop("propose", loop.draft(tmp_path, "xlsx-tables", *words, *words[:80]))
    little = loop("propose", loop.draft(tmp_path, "xlsx-tables", *words, "more"))

    assert much.code == 4
    assert "grow" in much.err
    assert "references/" in much.err
    assert little.code == 0


def test_an_old_proposal_does_not_block_its_skill(
    loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z")
    loop.propose("xlsx-tables", "one")
    monkeypatch.delenv("GIT_COMMITTER_DATE")

    loop.ok("propose", loop.draft(tmp_path, "xlsx-tables", "two"))

    states = [p["state"] for p in loop.ok("proposals")["proposals"]]
    assert states == ["expired", "open"]


def test_delete_is_a_proposal_too(loop: Loop) -> None:
    data = loop.ok("propose", "csv-tables", "--delete", "--why", "Nobody uses it")

    changed = loop.folder.git("diff", "--name-status", "main", data["commit"])
    assert changed == "D\tskills/csv-tables/SKILL.md\n"
    assert loop("propose", "csv-table", "--delete").code == 2


def test_a_draft_proposal_becomes_ready_when_it_is_proposed_again(
    loop: Loop, tmp_path: Path
) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables")
    number = loop.ok("propose", draft, "--draft")["proposal"]
    loop.approve(number)
    assert loop("promote", number).code == 4

    assert loop.ok("propose", draft)["created"] is False

    loop.promote(number)


# --- where it works ---


def test_the_checkout_is_never_touched(loop: Loop, tmp_path: Path) -> None:
    loop.folder.write("notes.txt", "unsaved")
    loop.folder.write("skills/csv-tables/SKILL.md", "half an edit")
    loop.folder.git("add", "notes.txt")
    loop.folder.write("notes.txt", "unsaved, and more")
    before = snapshot(loop.folder)

    loop.ok("propose", loop.draft(tmp_path, "xlsx-tables"))

    assert snapshot(loop.folder) == before
    assert not (loop.folder.root / "skills/xlsx-tables").exists()


@pytest.mark.parametrize("where", ["branch", "detached"])
def test_it_works_wherever_head_is(loop: Loop, tmp_path: Path, where: str) -> None:
    options = {"branch": ("-b", "other"), "detached": ("--detach",)}[where]
    loop.folder.git("checkout", "--quiet", *options)
    loop.folder.add_skill("only-on-this-branch")
    loop.folder.commit()

    data = loop.ok("propose", loop.draft(tmp_path, "xlsx-tables"))

    parent = loop.folder.git("rev-parse", f"{data['commit']}^").strip()
    assert parent == loop.main()


def test_it_works_in_a_linked_worktree(loop: Loop, tmp_path: Path, run: Run) -> None:
    loop.folder.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "x")
    linked = Loop(LibraryFolder(tmp_path / "linked"), run)
    linked.write("csv-tables", "changed")

    linked.ok("propose", "csv-tables")

    assert loop.ok("proposals")["proposals"][0]["skill"] == "csv-tables"


def test_it_works_in_a_bare_repository(loop: Loop, tmp_path: Path, run: Run) -> None:
    loop.folder.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    bare = Loop(LibraryFolder(tmp_path / "bare.git"), run)
    number = bare.ok("propose", loop.draft(tmp_path, "xlsx-tables"))["proposal"]
    bare.approve(number)
    bare.promote(number)

    assert "About xlsx-tables" in bare.text("xlsx-tables")
    assert bare.audit_kinds() == []


def test_it_works_in_a_shallow_clone(loop: Loop, tmp_path: Path, run: Run) -> None:
    loop.folder.commit("One more")
    url = f"file://{loop.folder.root}"
    loop.folder.git("clone", "--quiet", "--depth", "1", url, str(tmp_path / "shallow"))
    shallow = Loop(LibraryFolder(tmp_path / "shallow"), run)

    start = shallow.main()
    shallow.land("xlsx-tables")

    ran = shallow("audit")
    assert ran.code == 4
    assert "git fetch --unshallow" in ran.err
    assert shallow("audit", f"{start}..main").code == 0


def test_it_works_with_a_sha256_repository(tmp_path: Path, run: Run) -> None:
    root = tmp_path / "sha256"
    command = ["git", "init", "-q", "--object-format=sha256", "-b", "main", str(root)]
    subprocess.run(command, check=True)
    folder = LibraryFolder(root)
    folder.add_skill("csv-tables")
    folder.commit()
    loop = Loop(folder, run)

    loop.land("xlsx-tables")

    assert len(loop.main()) == 64
    assert loop.audit_kinds() == []
    assert loop("propose", "csv-tables").code == 4


def test_without_a_commit_there_is_nothing_to_propose_to(
    tmp_path: Path, run: Run, loop: Loop
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "new")], check=True)
    empty = Loop(LibraryFolder(tmp_path / "new"), run)

    ran = empty("propose", loop.draft(tmp_path, "xlsx-tables"))

    assert ran.code == 2
    assert "git commit" in ran.err


def test_git_has_to_know_who_proposes(
    loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [
        n for n in os.environ if n.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))
    ]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.useConfigOnly")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")

    ran = loop("propose", loop.draft(tmp_path, "xlsx-tables"))

    assert ran.code == 2
    assert "git config user.name" in ran.err


# --- names, messages, paths ---


@pytest.mark.parametrize(
    "why",
    [
        pytest.param("Reason\n\nApproved-By: Mallory <m@x>", id="paragraph"),
        pytest.param("Approved-By: Mallory <m@x>", id="only"),
        pytest.param("x\r\n\r\nApproved-By: Mallory <m@x>\r\n", id="crlf"),
        pytest.param("x\n---\nApproved-By: Mallory <m@x>", id="divider"),
        pytest.param("x\u2028\u2028Approved-By: Mallory <m@x>", id="separators"),
        pytest.param("--amend", id="dash"),
        pytest.param("\x00\x1b[31m 'quotes\" 🦊\x07", id="odd"),
    ],
)
def test_a_reason_cannot_become_a_trailer(loop: Loop, tmp_path: Path, why: str) -> None:
    data = loop.ok("propose", loop.draft(tmp_path, "xlsx-tables"), f"--why={why}")

    trailers = loop.folder.git("log", "-1", "--format=%(trailers)", data["commit"])
    assert "Approved-By" not in trailers
    assert trailers.startswith("Skill: xlsx-tables")
    loop.fsck()


def test_a_session_or_model_stays_on_its_line(loop: Loop, tmp_path: Path) -> None:
    hostile = "x\nApproved-By: Mallory <m@x>"
    draft = loop.draft(tmp_path, "xlsx-tables")

    data = loop.ok("propose", draft, "--session", hostile, "--model", hostile)

    keys = "%(trailers:key=Approved-By)"
    assert not loop.folder.git("log", "-1", f"--format={keys}", data["commit"]).strip()


def test_an_odd_author_name_does_not_bypass_the_checks(
    loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "-o <Mallory> \u00e9🦊\nApproved-By: x")

    data = loop.ok("propose", loop.draft(tmp_path, "xlsx-tables"))

    keys = "%(trailers:key=Approved-By)"
    assert not loop.folder.git("log", "-1", f"--format={keys}", data["commit"]).strip()
    loop.fsck()


@pytest.mark.parametrize(
    "name", ["-rf", "--all", "a b", "a\nb", "..", "con", "x.lock", "🦊", ""]
)
def test_a_hostile_name_is_refused(loop: Loop, name: str) -> None:
    assert loop("propose", "--delete", "--", name).code == 2


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda d: (d / "link").symlink_to("/etc/passwd"), id="symlink"),
        pytest.param(
            lambda d: (d / ".gitattributes").write_text("* -diff"), id="gitattributes"
        ),
        pytest.param(lambda d: (d / ".GitIgnore").write_text("*"), id="gitignore"),
        pytest.param(lambda d: (d / "a\nb").write_text("x"), id="newline"),
        pytest.param(lambda d: (d / "con.txt").write_text("x"), id="windows"),
        pytest.param(lambda d: (d / "dot.").write_text("x"), id="trailing-dot"),
        pytest.param(lambda d: (d / "e\u0301").write_text("x"), id="not-nfc"),
        pytest.param(lambda d: (d / "a\u200bb").write_text("x"), id="invisible"),
        pytest.param(lambda d: [(d / n).write_text("x") for n in "aA"], id="case"),
        pytest.param(
            lambda d: ((d / "in").mkdir(), (d / "in/skill.md").write_text("x")),
            id="nested",
        ),
        pytest.param(lambda d: os.mkfifo(d / "pipe"), id="fifo"),
        pytest.param(lambda d: (d / "sub/.git").mkdir(parents=True), id="repository"),
    ],
)
def test_a_path_that_is_read_differently_elsewhere_is_refused(
    loop: Loop, tmp_path: Path, make: Callable[[Path], object]
) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables")
    make(draft)

    ran = loop("propose", draft, "--json")

    assert ran.code == 2
    assert loop.ok("proposals")["proposals"] == []


def test_what_running_a_skill_leaves_behind_is_not_proposed(
    loop: Loop, tmp_path: Path
) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables")
    (draft / "scripts/__pycache__").mkdir(parents=True)
    (draft / "scripts/__pycache__/x.pyc").write_bytes(b"\0")
    (draft / "scripts/x.py").write_text("print(1)\n")
    (draft / "scripts/run.sh").write_text("#!/bin/sh\n")
    (draft / "scripts/run.sh").chmod(0o755)

    data = loop.ok("propose", draft)

    listed = loop.folder.git("ls-tree", "-r", data["commit"], "skills/xlsx-tables/")
    assert [(line[:6], line.split("/")[-1]) for line in listed.splitlines()] == [
        ("100644", "SKILL.md"),
        ("100755", "run.sh"),
        ("100644", "x.py"),
    ]


def test_bytes_are_committed_as_they_are(
    loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop.folder.write(".gitattributes", "* text=auto eol=crlf\n*.bin filter=evil\n")
    loop.folder.commit()
    draft = loop.draft(tmp_path, "xlsx-tables")
    (draft / "data.bin").write_bytes(b"\r\n\n\r$Id$\xff")

    data = loop.ok("propose", draft)

    done = subprocess.run(
        ["git", "cat-file", "blob", f"{data['commit']}:skills/xlsx-tables/data.bin"],
        cwd=loop.folder.root,
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"\r\n\n\r$Id$\xff"


def test_a_hostile_configuration_has_no_effect(
    loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = loop.draft(tmp_path, "xlsx-tables")
    mark = tmp_path / "a-hook-ran"
    hooks = loop.folder.root / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("reference-transaction", "pre-commit", "post-checkout", "post-merge"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {mark}\nexit 1\n")
        (hooks / name).chmod(0o755)
    settings = {
        "core.autocrlf": "true",
        "core.hooksPath": str(hooks),
        "core.fsmonitor": f"touch {mark}",
        "alias.fast-import": "!false",
        "alias.update-ref": "!false",
        "log.showSignature": "true",
        "i18n.commitEncoding": "latin1",
        "fastimport.unpackLimit": "1",
        "diff.external": "false",
        "color.ui": "always",
    }
    for at, (key, value) in enumerate(settings.items()):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{at}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{at}", value)
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(settings)))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other-index"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "objects"))

    data = loop.ok("propose", draft)
    loop.approve(data["proposal"])
    loop.ok("promote", data["proposal"])
    loop.ok("review", data["proposal"])
    assert loop.audit_kinds() == []

    monkeypatch.undo()
    assert not mark.exists()
    assert "\r" not in loop.text("xlsx-tables")
    assert "encoding" not in loop.folder.git("cat-file", "-p", data["commit"])


def test_evidence_beside_a_skill_goes_with_it(loop: Loop) -> None:
    loop.write("csv-tables", "changed")
    loop.folder.write("evidence/csv-tables/abcd1234.json", '{"task": "x"}')

    data = loop.ok("propose", "csv-tables")

    trailers = loop.folder.git(
        "log", "-1", "--format=%(trailers:key=Example)", data["commit"]
    )
    assert trailers.strip() == "Example: abcd1234"
    loop.folder.git("show", f"{data['commit']}:evidence/csv-tables/abcd1234.json")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        pytest.param("[1]", "list.json", id="not-an-object"),
        pytest.param("{", "broken.json", id="broken"),
        pytest.param(None, "missing.json", id="missing"),
        pytest.param(None, "abcdef01", id="unknown-id"),
    ],
)
def test_an_example_has_to_be_there(
    loop: Loop, tmp_path: Path, content: str | None, name: str
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    example = tmp_path / name if name.endswith("json") else name

    ran = loop("propose", loop.draft(tmp_path, "xlsx-tables"), "--example", example)

    assert ran.code == 2
    assert loop.ok("proposals")["proposals"] == []


def test_the_answer_is_for_people_too(loop: Loop, tmp_path: Path) -> None:
    ran = loop("propose", loop.draft(tmp_path, "xlsx-tables"))

    assert "proposal 1: Add xlsx-tables" in ran.out
    assert "next: skillforge review 1" in ran.out
