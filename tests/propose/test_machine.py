"""The loop driven at random against a simple model; the audit agrees at every step."""

import contextlib
import io
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from skillforge import cli
from tests.conftest import EXAMPLES, skill_md
from tests.propose.conftest import REVIEWER, body

NAMES = ("aa-one", "bb-two")
names = st.sampled_from(NAMES)
texts = st.sampled_from(["red", "green", "blue"])


def unlike(name: str, words: str) -> str:
    """Instructions that no other skill has."""
    return body(*(f"{name}-{words}-{n}" for n in range(8)))


class Loop(RuleBasedStateMachine):
    """A library and what we think is in it.

    `main` maps skills to the words of their text; `undo` is what each promotion of a
    skill replaced. A proposal is its skill, its words (None: removed), whether main
    has moved since, and whether it is approved.
    """

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.main: dict[str, str] = {}
        self.piles: dict[str, list[str | None]] = {name: [None] for name in NAMES}
        self.merges: dict[str, list[str]] = {name: [] for name in NAMES}
        self.open: dict[int, dict[str, Any]] = {}
        self.opened = 0
        self.promotions = 0
        self.pushes = 0

    def teardown(self) -> None:
        shutil.rmtree(self.root)

    def git(self, *arguments: str) -> str:
        line = ["git", "-C", str(self.root), *arguments]
        return subprocess.run(line, check=True, capture_output=True, text=True).stdout

    def run(self, *arguments: object) -> tuple[int, Any]:
        words = [str(argument) for argument in arguments]
        line = [words[0], "--library", str(self.root), *words[1:], "--json"]
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            code = cli.run(line)
        return int(code), json.loads(out.getvalue())["data"]

    @initialize()
    def start(self) -> None:
        self.git("init", "--quiet", "--initial-branch=main")
        (self.root / "README.md").write_text("x")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Start")

    def now_at(self, name: str, words: str | None) -> None:
        """Main holds other words for a skill; all that is open is stale."""
        if words is None:
            self.main.pop(name, None)
        else:
            self.main[name] = words
        for proposal in self.open.values():
            proposal["stale"] = True

    def rival(self, name: str) -> int | None:
        return next((n for n, p in self.open.items() if p["name"] == name), None)

    @rule(name=names, words=texts)
    def propose(self, name: str, words: str) -> None:
        folder = self.root.with_name(f"{self.root.name}-draft") / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "SKILL.md").write_text(skill_md(name, body=unlike(name, words)))
        rival = self.rival(name)

        code, data = self.run("propose", folder)

        if rival is not None and self.open[rival]["words"] == words:
            assert (code, data["created"]) == (0, False)
            assert data["proposal"] == rival
        elif rival is not None:
            assert code == 4 or (self.main.get(name) == words and code == 0)
        elif self.main.get(name) == words:
            assert code == 4 or data["created"] is False
        else:
            assert (code, data["created"]) == (0, True)
            self.opened += 1
            assert data["proposal"] == self.opened
            self.open[self.opened] = self.fresh(name, words)
        shutil.rmtree(folder.parent)

    def fresh(self, name: str, words: str | None) -> dict[str, Any]:
        return {"name": name, "words": words, "stale": False, "approved": False}

    @precondition(lambda self: self.main)
    @rule(data=st.data())
    def propose_removal(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.main)))
        rival = self.rival(name)

        code, answer = self.run("propose", name, "--delete")

        if rival is None:
            assert code == 0
            self.opened += 1
            assert answer["proposal"] == self.opened
            self.open[self.opened] = self.fresh(name, None)
        elif self.open[rival]["words"] is None:
            assert answer["proposal"] == rival
        else:
            assert code == 4

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def approve(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.open)))
        assert self.run("review", number, "--approve")[0] == 4  # by its author
        assert self.run("review", number, "--approve", "--as", REVIEWER)[0] == 0
        self.open[number]["approved"] = True

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def refresh(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.open)))
        proposal = self.open[number]
        code, _ = self.run("refresh", number)
        if not proposal["stale"]:
            assert code == 0
        elif code == 0:
            proposal.update(stale=False, approved=False)
            head = self.run("review", number)[1]["head"]
            proposal["empty"] = not self.git("diff", "main", head)

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def promote(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.open)))
        proposal = self.open[number]

        code, answer = self.run("promote", number)

        if proposal["stale"] or not proposal["approved"]:
            assert code == 4
            return
        assert code == 0, answer
        del self.open[number]
        self.promotions += 1
        name, words = proposal["name"], proposal["words"]
        if self.main.get(name) != words or not proposal.get("empty"):
            self.piles[name].append(words)
            self.merges[name].append(answer["merge"])
        self.now_at(name, words)

    @precondition(lambda self: any(self.merges.values()))
    @rule(data=st.data(), by_hand=st.booleans())
    def take_back(self, data: st.DataObject, by_hand: bool) -> None:
        """The newest change of a skill goes, by `rollback --now` or by `git revert`."""
        name = data.draw(
            st.sampled_from([n for n, merges in self.merges.items() if merges])
        )
        if by_hand:
            self.git("revert", "--no-edit", "-m", "1", self.merges[name][-1])
        else:
            code, answer = self.run("rollback", name, "--why", "x", "--now")
            if self.rival(name) is not None:
                assert code == 4
                return
            assert code == 0, answer
            self.opened += 1
            self.promotions += 1
        self.merges[name].pop()
        self.piles[name].pop()
        self.now_at(name, self.piles[name][-1])

    @rule(name=names)
    def push(self, name: str) -> None:
        """Somebody writes to main directly."""
        words = f"pushed{self.pushes}"
        file = self.root / "skills" / name / "SKILL.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(skill_md(name, body=unlike(name, words)))
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Push")
        self.pushes += 1
        self.piles[name].append(words)
        self.merges[name].clear()  # what is below the push is not taken back here
        self.now_at(name, words)

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def close(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.open)))
        assert self.run("close", number)[0] == 0
        del self.open[number]

    @invariant()
    def main_is_as_we_think(self) -> None:
        listed = self.git("ls-tree", "--name-only", "main:")
        held = {
            name: self.git("show", f"main:skills/{name}/SKILL.md")
            for name in (
                self.git("ls-tree", "--name-only", "main:skills").split()
                if "skills" in listed
                else ()
            )
        }
        assert held.keys() == self.main.keys()
        for name, words in self.main.items():
            assert unlike(name, words) in held[name]
        assert self.git("status", "--porcelain") == ""
        code, audit = self.run("audit")
        assert code == bool(self.pushes)
        assert audit["promotions"] == self.promotions
        kinds = [exception["kind"] for exception in audit["exceptions"]]
        assert kinds == ["direct-push"] * self.pushes
        _, found = self.run("proposals")
        states = {p["number"]: p["state"] for p in found["proposals"]}
        assert list(states) == list(range(1, self.opened + 1))
        assert {n for n, s in states.items() if s == "open"} == self.open.keys()


TestLoop = Loop.TestCase
TestLoop.settings = settings(
    max_examples=EXAMPLES // 4, stateful_step_count=14, deadline=None
)
