"""The state of a server: its library, the caller, and what sessions have read.

Independent of the protocol. Calls come from many threads at once.
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

_MOST_READS = 100_000
_MOST_LISTINGS = 8
_FOREGROUND = ("", "foreground", "assistant_tool", Origin.AGENT_FOREGROUND)
_BACKGROUND = ("background", "background_review", Origin.AGENT_BACKGROUND)


class Caller(NamedTuple):
    """The program that calls, by its own name, and its session.

    The key decides the arms of rollouts. It may be private, and is never stored.
    """

    client: str
    session: str
    key: str


class FileRead(NamedTuple):
    """A file of a skill version that a session has read."""

    session: str
    skill: str
    tree: str
    path: str


class ReadLog:
    """The files that sessions have read; the oldest are dropped at a limit."""

    def __init__(self) -> None:
        self._reads: OrderedDict[FileRead, None] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, read: FileRead) -> None:
        with self._lock:
            self._reads[read] = None
            self._reads.move_to_end(read)
            if len(self._reads) > _MOST_READS:
                self._reads.popitem(last=False)

    def __contains__(self, read: FileRead) -> bool:
        with self._lock:
            return read in self._reads


class Listings:
    """A cache of the latest lists of skills, by their input."""

    def __init__(self) -> None:
        self._lists: OrderedDict[object, list[IndexedSkill]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: object) -> "list[IndexedSkill] | None":
        with self._lock:
            return self._lists.get(key)

    def add(self, key: object, skills: "list[IndexedSkill]") -> None:
        with self._lock:
            self._lists[key] = skills
            while len(self._lists) > _MOST_LISTINGS:
                self._lists.popitem(last=False)


@dataclass(frozen=True)
class LibraryContext:
    """A library, and the options of the server.

    `is_background` makes every write one of a background review. `session` is used for
    calls over a transport without sessions.
    """

    start: Path
    forge: str = ""
    host: str = ""
    is_background: bool = False
    speaks_for: str = ""
    session: str = field(default_factory=lambda: uuid.uuid4().hex)
    reads: ReadLog = field(default_factory=ReadLog)
    listings: Listings = field(default_factory=Listings)

    def caller(self, client: str, session: str) -> Caller:
        """The caller; its key is $SKILLFORGE_KEY, else its session."""
        key = os.environ.get("SKILLFORGE_KEY", "").strip()
        session = session or self.session
        return Caller(_plain(client) or "agent", session, key or session)

    def library(self) -> "Library":
        """The library as it is now; opened again for every call."""
        from skillforge.workflows.lookup import library_at

        return library_at(self.start, self.forge, self.host)

    def workspace(self, caller: Caller) -> "Workspace":
        """The workspace of an agent, who is the author of its proposals."""
        from skillforge.workflows.workspaces import open_workspace

        name = caller.client
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "agent"
        user = self.speaks_for or f"{name} (agent) <{slug}@agents.invalid>"
        return open_workspace(self.start, user, forge=self.forge, host=self.host)

    def origin(self, name: str) -> Origin:
        """The kind of agent that an argument names; never a person."""
        if name not in (*_FOREGROUND, *_BACKGROUND):
            raise RequestError(
                f"{name!r} is not an origin for agents",
                hint="`origin` is agent-foreground or agent-background",
            )
        is_background = self.is_background or name in _BACKGROUND
        return Origin.AGENT_BACKGROUND if is_background else Origin.AGENT_FOREGROUND


def _plain(client: str) -> str:
    """A program's name as a commit's author can have it."""
    letters = (c if c.isprintable() and c not in "<>()" else " " for c in client)
    return " ".join("".join(letters).split())[:60]
