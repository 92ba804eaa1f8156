"""Who does what next: agents, reviewers, operators, publishers, each at random."""

import json
import random
import time
from collections.abc import Callable
from typing import Any

from tests.conftest import skill_md
from tests.propose.conftest import body
from tests.soak import hands
from tests.soak.model import Model
from tests.soak.places import CLONE, LIBRARY, Places
from tests.soak.processes import Command

NAMES = ("amber", "basalt", "cobalt", "dune", "ember", "fjord", "grove", "heath")
PEOPLE = tuple(f"Reviewer {n} <r{n}@example.invalid>" for n in range(4))
KEYS = tuple(f"key-{n}" for n in range(40))
PITFALLS = (
    "Quoted line breaks end a row",
    "Dates without a year are taken for this one",
    "The last column is cut off",
)
_AGE = 20 * 86_400  # older than the policy lets a proposal be


class Actors:
    """All who work with the library; what they choose goes by what they were told."""

    def __init__(self, places: Places, model: Model, luck: random.Random) -> None:
        self.places = places
        self.model = model
        self.luck = luck
        self.count = 0
        self.may_push = False  # a push past all review is on record for ever

    def choose(self) -> Command:
        """What somebody does next."""
        while True:
            [act] = self.luck.choices(_ACTS, _WEIGHTS)
            if command := act(self):
                self.count += 1
                return command

    def is_lucky(self, share: float) -> bool:
        return self.luck.random() < share

    def number(self) -> int | None:
        """A proposal to work on: mostly one that is open."""
        waiting = self.model.open_numbers()
        numbers = list(self.model.proposals)
        chosen = waiting if waiting and self.is_lucky(0.95) else numbers
        return self.luck.choice(chosen) if chosen else None

    def skill(self) -> str | None:
        """A skill to work with: mostly one that main has, else one that it had."""
        alive, known = self.model.alive(), self.model.skills()
        chosen = alive if alive and self.is_lucky(0.95) else known
        return self.luck.choice(chosen) if chosen else None


Act = Callable[[Actors], Command | None]


def _at_place(actors: Actors) -> str:
    return actors.luck.choice((LIBRARY, LIBRARY, CLONE))


def propose(actors: Actors, without: str = "") -> Command:
    """An agent writes a skill, or another text for one."""
    name = actors.luck.choice([name for name in NAMES if name != without])
    actors.count += 1
    folder = actors.places.drafts / str(actors.count) / name
    folder.mkdir(parents=True)
    other = actors.luck.choice(NAMES)
    is_agents = actors.is_lucky(0.6)
    lines = [f"  superseded-by: {other}\n"] if other != name else []
    extra = "".join(["metadata:\n", *lines]) if lines and actors.is_lucky(0.4) else ""
    words = [f"{name}{actors.luck.randrange(10**6)}" for _ in range(8)]
    text = skill_md(name, extra, body(*words))
    description = f"Does {words[0]} and {words[1]}"
    (folder / "SKILL.md").write_text(
        text.replace("Reads tables from files", description)
    )
    about: dict[str, Any] = {"skill": name}
    options = ["--origin", "agent-foreground" if is_agents else "human"]
    if actors.is_lucky(0.2):
        options.append("--supersede")
        about["replaces"] = True
    env = {}
    if actors.is_lucky(0.1):
        about["is_old"] = True
        env["GIT_COMMITTER_DATE"] = f"{int(time.time()) - _AGE} +0000"
    arguments = ("propose", str(folder), *options)
    return Command("propose", LIBRARY, arguments, about, env=env)


def _propose_again(actors: Actors) -> Command | None:
    """Somebody tries the same draft once more."""
    folders = sorted(
        actors.places.drafts.glob("*/*"), key=lambda path: int(path.parent.name)
    )
    if not folders:
        return None
    folder = actors.luck.choice(folders[-6:])
    arguments = ("propose", str(folder), "--origin", "agent-foreground")
    return Command("propose", LIBRARY, arguments, {"skill": folder.name})


def _opening(kind: str, *line: str, **about: Any) -> Act:
    def act(actors: Actors) -> Command | None:
        name = actors.skill()
        if name is None:
            return None
        filled = tuple(name if word == "NAME" else word for word in line)
        return Command(kind, LIBRARY, filled, {"skill": name, **about})

    return act


def _rollback(actors: Actors) -> Command | None:
    name = actors.skill()
    if name is None:
        return None
    is_now = actors.is_lucky(0.5)
    line = ["rollback", name, "--why", "It fails"]
    line += ["--now"] if is_now else []
    replaces = actors.is_lucky(0.5)
    line += ["--supersede"] if replaces else []
    about = {"skill": name, "replaces": replaces}
    return Command(
        "rollback-now" if is_now else "rollback", LIBRARY, tuple(line), about
    )


def _on_proposal(kind: str, *line: str) -> Callable[..., Command | None]:
    def act(actors: Actors, number: int | None = None) -> Command | None:
        number = number or actors.number()
        if number is None:
            return None
        who = actors.luck.choice(PEOPLE)
        words = {"N": str(number), "WHO": who}
        filled = tuple(words.get(word, word) for word in line)
        return Command(kind, LIBRARY, filled, {"number": number, "who": who})

    return act


_approve = _on_proposal("approve", "review", "N", "--approve", "--as", "WHO")
_refresh = _on_proposal("refresh", "refresh", "N")
_promote = _on_proposal("promote", "promote", "N")
_close = _on_proposal("close", "close", "N")
_STEPS = {
    "approve": _approve,
    "refresh": _refresh,
    "promote": _promote,
    "close": _close,
}


def _shepherd(actors: Actors) -> Command | None:
    """Somebody who wants a proposal to get there does what it lacks."""
    numbers = actors.model.open_numbers()
    if not numbers:
        return None
    waiting = [actors.model.proposals[number] for number in numbers]
    near = [
        proposal for proposal in waiting if proposal.is_fresh and proposal.approvers
    ]
    proposal = actors.luck.choice(near if near and actors.is_lucky(0.6) else waiting)
    step = "promote" if proposal.approvers else "approve"
    step = step if proposal.is_fresh else "refresh"
    return _STEPS["close" if actors.is_lucky(0.08) else step](actors, proposal.number)


def _record(actors: Actors) -> Command | None:
    """Agents report how it went, some of them many uses at once."""
    name = actors.skill()
    if name is None:
        return None
    count = actors.luck.choice((1, 2, 5, 12, 40))
    good = actors.luck.choice((0.2, 0.5, 0.9))
    lines = [_use_line(actors, name, good) for _ in range(count)]
    return Command("record", _at_place(actors), ("record",), {}, "".join(lines))


def _use_line(actors: Actors, name: str, good: float) -> str:
    report: dict[str, Any] = {
        "skill": name,
        "key": actors.luck.choice(KEYS),
        "outcome": "success" if actors.is_lucky(good) else "failure",
        "verified_by": "test",
        "id": f"use-{actors.luck.getrandbits(64):016x}",
    }
    if actors.is_lucky(0.3):
        report["pitfall"] = actors.luck.choice(PITFALLS)
    return json.dumps(report) + "\n"


def _use(actors: Actors) -> Command | None:
    name = actors.skill()
    line = ("use", str(name), "--key", actors.luck.choice(KEYS))
    return Command("use", _at_place(actors), line) if name else None


def _sync(actors: Actors) -> Command:
    agent = actors.luck.choice(("one", "two"))
    to = str(actors.places.agents / agent)
    return Command("sync", LIBRARY, ("sync", "--to", to, "--key", agent))


def _sync_uses(actors: Actors) -> Command:
    place = actors.luck.choice((LIBRARY, CLONE))
    other = actors.places.clone if place == LIBRARY else actors.places.library
    return Command("sync-uses", place, ("sync-uses", "--remote", str(other)))


def _canary(actors: Actors) -> Command | None:
    name = actors.skill()
    if name is None:
        return None
    how = actors.luck.choice(("set", "set", "pause", "finish", "abort"))
    line = ["canary", how, name]
    line += ["--share", str(actors.luck.choice((10, 50, 90)))] if how == "set" else []
    return Command(f"canary-{how}", LIBRARY, tuple(line), {"skill": name})


def _plain(kind: str, *line: str) -> Act:
    return lambda _: Command(kind, LIBRARY, line)


def _read(actors: Actors) -> Command:
    """Somebody who only looks, while everything moves."""
    name = actors.skill()
    lines: list[tuple[str, ...]] = [
        ("list",),
        ("stats",),
        ("proposals",),
        ("catalog",),
        *[("audit",)] * 4,
    ]
    lines += [("log", name), ("why", name), ("show", name)] if name else []
    line = actors.luck.choice(lines)
    return Command(line[0], _at_place(actors) if line[0] == "list" else LIBRARY, line)


def _restore(actors: Actors) -> Command | None:
    gone = sorted(set(actors.model.skills()) - set(actors.model.alive()))
    if not gone:
        return None
    name = actors.luck.choice(gone)
    line = ("curate", "--restore", name, "--propose")
    return Command("restore", LIBRARY, line, {"skill": name})


def _revert(actors: Actors) -> Command | None:
    """Somebody takes the newest change of a skill back with plain git."""
    name = actors.skill()
    if name is None:
        return None
    is_merge = actors.is_lucky(0.5)
    hand = actors.places.hand
    work = lambda: hands.revert(hand, name, is_merge=is_merge)  # noqa: E731
    return Command("revert", "hand", (name,), {"skill": name}, work=work)


def _push(actors: Actors) -> Command | None:
    """Somebody pushes a skill past all review."""
    if not actors.may_push:
        return None
    actors.may_push = False
    name, hand = actors.luck.choice(NAMES), actors.places.hand
    text = skill_md(name, body=body(f"pushed{actors.count}"))
    work = lambda: hands.push(hand, name, text)  # noqa: E731
    return Command("push", "hand", (name,), {"skill": name}, work=work)


def _pull(actors: Actors) -> Command:
    clone = actors.places.clone
    return Command("pull", CLONE, work=lambda: hands.pull(clone))


_ACTS: tuple[Act, ...]
_WEIGHTS: tuple[float, ...]
_ACTS, _WEIGHTS = zip(
    *(
        (propose, 7),
        (_propose_again, 2),
        (_opening("remove", "propose", "NAME", "--delete"), 0.5),
        (_opening("pin", "pin", "NAME"), 0.7),
        (_restore, 1),
        (_rollback, 3),
        (_plain("curate", "curate", "--propose"), 2.5),
        (_plain("refine", "refine", "--propose"), 1.5),
        (_on_proposal("gate", "gate", "N"), 2),
        (_approve, 4),
        (_on_proposal("reject", "review", "N", "--reject", "--why", "No"), 1.5),
        (_on_proposal("show", "review", "N"), 1),
        (_refresh, 2),
        (_close, 0.5),
        (_promote, 2),
        (_shepherd, 25),
        (_plain("expire", "proposals", "--expire"), 1.5),
        (_record, 10),
        (_use, 4),
        (_sync, 3),
        (_sync_uses, 3),
        (_canary, 6),
        (_plain("canary-status", "canary", "status"), 2),
        (_plain("release", "release", "--yes"), 1),
        (_read, 7),
        (_revert, 0.8),
        (_push, 2),
        (_pull, 2),
    ),
    strict=True,
)
