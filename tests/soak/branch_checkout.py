"""A worktree with the library's branch: what was killed is finished by the next run.

While it is there, git refuses what people push by hand. So it comes and goes.
"""

import time

from tests.soak.checks import sound
from tests.soak.model import Disagreement, Model
from tests.soak.places import BRANCH, LIBRARY, Places, git
from tests.soak.processes import Command, Crew

_DELAY = 0.08  # seconds after the branch moved in which its worktree follows


class BranchCheckout:
    """Index, files and branch agree as soon as a killed command was run again."""

    def __init__(self, places: Places, model: Model, crew: Crew) -> None:
        self.places = places
        self.model = model
        self.crew = crew
        self.add()

    def add(self) -> None:
        root = str(self.places.checkout)
        git(self.places.library, "worktree", "add", "--quiet", root, BRANCH)

    def remove(self) -> None:
        """Git itself refuses this if something is not committed."""
        root = str(self.places.checkout)
        git(self.places.library, "worktree", "remove", root)

    def check(self) -> None:
        """With all halted: finish what was killed, and kill a rollback once more."""
        self.crew.wait_for_orphans()
        if self.places.checkout.exists():
            self.finish()
        else:
            self.model.killed_moves.clear()
            self.add()
        if names := self.model.alive():
            self._kill_rollback(self.crew.luck.choice(names))
            self.finish()

    def finish(self) -> None:
        """Run a command again that was killed; then nothing is left to be done."""
        killed = self.model.killed_moves
        rollbacks = [command for command in killed if command.kind == "rollback-now"]
        if killed:
            self.model.counts["left behind"] += bool(self._difference())
            self._run((rollbacks or killed)[-1])
        if found := self._difference():
            raise Disagreement(f"{self.places.checkout} and {BRANCH} differ: {found}")
        killed.clear()

    def _kill_rollback(self, name: str) -> None:
        """At any moment, or just after the branch has moved."""
        line = ("rollback", name, "--why", "It fails", "--now", "--supersede")
        about = {"skill": name, "replaces": True}
        is_late = self.crew.luck.random() < 0.6
        command = Command("rollback-now", LIBRARY, line, about)
        before = self._tip()
        self.crew.start(command, may_die=0.0 if is_late else 1.0)
        delay = self.crew.luck.uniform(0, _DELAY)
        while not (found := self.crew.ended()):
            if is_late and self._tip() != before:
                self.crew.kill_at(time.monotonic() + delay)
                is_late = False
        sound(found[0])
        self.model.hear(found[0])
        self.crew.wait_for_orphans()

    def _run(self, command: Command) -> None:
        ended = self.crew.do(command)
        sound(ended)
        self.model.hear(ended)

    def _tip(self) -> str:
        """Read as a file, which takes no time; git may pack it, which moves it too."""
        path = self.places.library / ".git" / "refs" / "heads" / BRANCH
        return path.read_text() if path.exists() else ""

    def _difference(self) -> str:
        root = self.places.checkout
        found = git(root, "diff", "--cached", "--stat", f"refs/heads/{BRANCH}")
        found += git(root, "status", "--porcelain", "--ignored")
        head = git(root, "symbolic-ref", "HEAD")
        return found if head == f"refs/heads/{BRANCH}" else f"{head} {found}"
