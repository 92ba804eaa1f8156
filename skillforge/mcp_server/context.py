"""One library as agents reach it: who calls, what they have read, what is remembered.

Nothing in here knows of the protocol; calls come from many threads at once.
"""

import os
import re
import threading
import uuid
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from skillforge.errors import RequestError
from skillforge.model import Origin

if TYPE_CHECKING:
    from skillforge.library import Library
    from skillforge.propose.workspace import Workspace
    from skillforge.store.index import IndexedSkill

_MOST_SEEN = 100_000
_FOREGROUND = ("", "foreground", "assistant_tool", Origin.AGENT_FOREGROUND)
_BACKGROUND = ("background", "background_review", Origin.AGENT_BACKGROUND)


class Caller(NamedTuple):
    """Who calls: the program, as it calls itself, in which session.

    The key decides the arms of rollouts. It may be private, and is written nowhere.
    """

    client: str
    session: str
    key: str


class FileRead(NamedTuple):
    """One file of one version of a skill that somebody has read."""

    session: str
    skill: str
    tree: str
    path: str


class ReadLog:
    """What sessions have read; the oldest is forgotten if it gets too much."""

    def __init__(self) -> None:
        self._glances: OrderedDict[FileRead, None] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, glance: FileRead) -> None:
        with self._lock:
            self._glances[glance] = None
            self._glances.move_to_end(glance)
            if len(self._glances) > _MOST_SEEN:
                self._glances.popitem(last=False)

    def __contains__(self, glance: FileRead) -> bool:
        with self._lock:
            return glance in self._glances


class Listings:
    """Lists of skills as they were made at last, by what they were made of."""

    def __init__(self) -> None:
        self._kept: OrderedDict[object, list[IndexedSkill]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, made_of: object) -> "list[IndexedSkill] | None":
        with self._lock:
            return self._kept.get(made_of)

    def keep(self, made_of: object, skills: "list[IndexedSkill]") -> None:
        with self._lock:
            self._kept[made_of] = skills
            while len(self._kept) > 8:
                self._kept.popitem(last=False)


@dataclass(frozen=True)
class LibraryContext:
    """A library, and how agents may come in.

    `is_background` makes every write one of a background review. `session` stands for
    all calls of a transport that knows no sessions.
    """

    start: Path
    forge: str = ""
    host: str = ""
    is_background: bool = False
    speaks_for: str = ""
    session: str = field(default_factory=lambda: uuid.uuid4().hex)
    seen: ReadLog = field(default_factory=ReadLog)
    listings: Listings = field(default_factory=Listings)

    def caller(self, client: str, session: str) -> Caller:
        """Who calls; a key of the environment counts for more than a session."""
        key = os.environ.get("SKILLFORGE_KEY", "").strip()
        which = session or self.session
        return Caller(_plain(client) or "agent", which, key or which)

    def library(self) -> "Library":
        """The library as it is now: every call opens it anew."""
        from skillforge.workflows.lookup import library_at

        return library_at(self.start, self.forge, self.host)

    def workspace(self, caller: Caller) -> "Workspace":
        """The workspace of an agent: proposals are its own, not those of git's user."""
        from skillforge.forge.registry import ForgeChoice
        from skillforge.library import Library
        from skillforge.propose.workspace import Workspace

        name = caller.client
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "agent"
        who = self.speaks_for or f"{name} (agent) <{slug}@agents.invalid>"
        return Workspace(
            Library.open(self.start), who, ForgeChoice(self.forge, self.host)
        )

    def origin(self, said: str) -> Origin:
        """Which kind of agent wants something; never a person."""
        if said not in (*_FOREGROUND, *_BACKGROUND):
            raise RequestError(
                f"an agent cannot speak as {said!r}",
                hint="`origin` is agent-foreground or agent-background",
            )
        is_background = self.is_background or said in _BACKGROUND
        return Origin.AGENT_BACKGROUND if is_background else Origin.AGENT_FOREGROUND


def _plain(client: str) -> str:
    """A program's name that can stand in a commit."""
    seen = "".join(
        it if it.isprintable() and it not in "<>()" else " " for it in client
    )
    return " ".join(seen.split())[:60]
