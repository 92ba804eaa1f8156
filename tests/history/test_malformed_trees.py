"""Trees that git stores and reads differently from one command to the next."""

from pathlib import Path

import pytest

from tests import raw_trees
from tests.conftest import Run
from tests.propose.conftest import Loop
from tests.raw_trees import NAME, Attack

attacks = pytest.mark.parametrize("attack", raw_trees.ATTACKS)


def on_main(loop: Loop, attack: Attack) -> None:
    root = loop.folder.root
    evil = raw_trees.commit(root, attack(root, "main"), loop.main())
    loop.folder.git("update-ref", "refs/heads/main", evil)


@attacks
def test_the_gate_refuses_a_malformed_branch(loop: Loop, attack: Attack) -> None:
    root = loop.folder.root
    number = loop.propose(NAME, "an", "edit")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    evil = raw_trees.commit(root, attack(root, branch), branch)
    loop.folder.git("update-ref", f"refs/heads/{branch}", evil)
    main = loop.main()

    ran = loop("gate", "--base", "main", "--head", branch)
    assert (ran.code, "is malformed" in ran.out + ran.err) == (1, True)
    ran = loop("review", number, "--approve", "--as", "Rita", "--head", evil)
    assert ran.code != 0
    assert loop("promote", number).code != 0
    assert loop.main() == main


@attacks
def test_the_audit_names_a_malformed_main(loop: Loop, attack: Attack) -> None:
    on_main(loop, attack)

    ran = loop("audit")

    assert (ran.code, "is malformed" in ran.out + ran.err) == (1, True)


def test_the_audit_names_a_malformed_tree_of_the_past(loop: Loop) -> None:
    before = loop.main()
    on_main(loop, raw_trees.named_twice)
    tree = raw_trees.git(loop.folder.root, "rev-parse", f"{before}^{{tree}}")
    after = raw_trees.commit(loop.folder.root, tree, loop.main(), "Restore")
    loop.folder.git("update-ref", "refs/heads/main", after)

    assert loop.audit_kinds() == ["malformed-tree"]


@attacks
@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("show", NAME), id="show"),
        pytest.param(("list",), id="list"),
        pytest.param(("use", NAME, "--key", "k"), id="use"),
        pytest.param(("sync", "--to", "TO", "--key", "k"), id="sync"),
        pytest.param(("release", "1.0.0"), id="release"),
        pytest.param(("catalog",), id="catalog"),
        pytest.param(("search", "tables"), id="search"),
    ],
)
def test_nothing_is_handed_out_of_a_malformed_main(
    loop: Loop, tmp_path: Path, attack: Attack, command: tuple[str, ...]
) -> None:
    on_main(loop, attack)
    target = str(tmp_path / "out")

    ran = loop(*(target if word == "TO" else word for word in command))

    assert (ran.code, "is malformed" in ran.out + ran.err) == (1, True)
    assert "evil.invalid" not in ran.out


@attacks
def test_nothing_is_installed_from_a_malformed_repository(
    loop: Loop, run: Run, tmp_path: Path, attack: Attack
) -> None:
    on_main(loop, attack)

    ran = run("install", f"git+file://{loop.folder.root}", "--to", str(tmp_path / "to"))

    assert (ran.code, "is malformed" in ran.err) == (1, True), ran.out + ran.err
    assert not list(tmp_path.glob("to/*/SKILL.md"))


large = pytest.mark.parametrize("attack", raw_trees.LARGE)


@large
def test_the_gate_does_not_walk_through_an_endless_branch(
    loop: Loop, attack: Attack
) -> None:
    root = loop.folder.root
    number = loop.propose(NAME, "an", "edit")
    branch = loop.ok("proposals")["proposals"][0]["branch"]
    evil = raw_trees.commit(root, attack(root, branch), branch)
    loop.folder.git("update-ref", f"refs/heads/{branch}", evil)

    for command in (
        ("gate", "--base", "main", "--head", branch),
        ("gate", number),
        ("review", number),
    ):
        ran = loop(*command)
        assert (ran.code, "is refused: it" in ran.out + ran.err) == (1, True), command


@large
@pytest.mark.parametrize("command", [("audit",), ("list",), ("show", NAME)])
def test_an_endless_main_is_named(
    loop: Loop, attack: Attack, command: tuple[str, ...]
) -> None:
    on_main(loop, attack)

    ran = loop(*command)

    assert (ran.code, "is refused: it" in ran.out + ran.err) == (1, True)


@large
def test_nothing_is_installed_from_an_endless_repository(
    loop: Loop, run: Run, tmp_path: Path, attack: Attack
) -> None:
    on_main(loop, attack)

    ran = run("install", f"git+file://{loop.folder.root}", "--to", str(tmp_path / "to"))

    assert (ran.code, "is refused: it" in ran.err) == (1, True), ran.out + ran.err
