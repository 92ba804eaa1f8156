"""The loop as people use it: an author proposes, somebody else approves, main moves."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import LibraryFolder, Ran, Run, skill_md

REVIEWER = "Rita Reviewer <rita@example.invalid>"
POLICY = "skillforge.yaml"


def body(*words: object) -> str:
    """Instructions that are unlike those of other words."""
    steps = (f"{n}. Do {w} number {n}.\n" for n, w in enumerate([*words, *words], 1))
    return f"# About {' '.join(map(str, words))}\n\n{''.join(steps)}"


def page(name: str, extra: str, *words: object) -> str:
    """A skill that is for other things than those of other words."""
    text = skill_md(name, extra, body(*(words or (name,))))
    description = f"Reads {name} for {' '.join(map(str, words[:9]))}"
    return text.replace("Reads tables from files", description.removesuffix(" for "))


@dataclass(frozen=True)
class Loop:
    """The commands of the loop, on one library."""

    folder: LibraryFolder
    run: Run

    def __call__(self, *arguments: object) -> Ran:
        words = [str(argument) for argument in arguments]
        return self.run(words[0], "--library", str(self.folder.root), *words[1:])

    def ok(self, *arguments: object) -> dict[str, Any]:
        ran = self(*arguments, "--json")
        assert ran.code == 0, ran.out + ran.err
        return ran.data

    def write(self, name: str, *words: object, extra: str = "") -> Path:
        text = page(name, extra, *words)
        return self.folder.write(f"skills/{name}/SKILL.md", text).parent

    def draft(self, tmp: Path, name: str, *words: object, extra: str = "") -> Path:
        """A draft outside the library."""
        folder = tmp / "drafts" / name
        folder.mkdir(parents=True, exist_ok=True)
        text = page(name, extra, *words)
        (folder / "SKILL.md").write_text(text)
        return folder

    def propose(self, name: str, *words: object, options: tuple[str, ...] = ()) -> int:
        """Propose a text for a skill from outside the checkout; its number."""
        folder = self.draft(self.folder.root.parent, name, *words)
        number: int = self.ok("propose", folder, *options)["proposal"]
        return number

    def approve(self, number: int, who: str = REVIEWER) -> None:
        self.ok("review", number, "--approve", "--as", who)

    def approve_as_it_is(self, number: int) -> None:
        """Approve what a branch holds that was changed by hand."""
        head = self.ok("review", number)["head"]
        options = ("--approve", "--as", REVIEWER, "--head", head)
        self.ok("review", number, *options)

    def promote(self, number: int) -> dict[str, Any]:
        return self.ok("promote", number)

    def land(self, name: str, *words: object) -> dict[str, Any]:
        """Propose, approve and promote."""
        number = self.propose(name, *words)
        self.approve(number)
        return self.promote(number)

    def batch(self, *operations: dict[str, Any], **options: Any) -> str:
        return json.dumps({"operations": operations, **options})

    def policy(self, text: str) -> None:
        self.folder.write(POLICY, text)
        self.folder.commit("Set the policy")

    def main(self) -> str:
        return self.folder.git("rev-parse", "main").strip()

    def tree(self, name: str, revision: str = "main") -> str:
        return self.folder.git("rev-parse", f"{revision}:skills/{name}").strip()

    def text(self, name: str, revision: str = "main") -> str:
        return self.folder.git("show", f"{revision}:skills/{name}/SKILL.md")

    def fsck(self) -> None:
        assert not self.folder.git("fsck", "--strict", "--no-dangling").strip()

    def audit_kinds(self) -> list[str]:
        found = self("audit", "--json").data["exceptions"]
        return [exception["kind"] for exception in found]


@pytest.fixture
def loop(library: LibraryFolder, run: Run) -> Loop:
    return Loop(library, run)
