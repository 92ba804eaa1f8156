"""From draft to main: the draft, its proposal, the gate's verdict and approvals."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from skillforge.model.finding import Danger, Finding

SCAN = "scan"  # the check whose findings decide how dangerous a skill is
NOT_RUN = "trial-not-run"  # the rule for a trial that this machine can't run
CANARY = "canary"  # the rule for a trial that used a planted key or the network


class Action(StrEnum):
    """What a proposal does to its skill."""

    CREATE = "create"
    EDIT = "edit"
    DELETE = "delete"
    ROLLBACK = "rollback"
    CONSOLIDATE = "consolidate"
    ARCHIVE = "archive"
    WAIVE = "waive"


class Origin(StrEnum):
    """Who or what proposes a change."""

    HUMAN = "human"
    AGENT_FOREGROUND = "agent-foreground"
    AGENT_BACKGROUND = "agent-background"
    CURATOR = "curator"
    IMPORT = "import"


class DraftFile(NamedTuple):
    """One file of a draft."""

    data: bytes
    is_executable: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A skill's exact files, not yet approved; without files, the skill is removed.

    `evidence` maps ids to new example files; `examples` are all ids that it is based
    on. `absorbed` skills are removed because this one replaces them; `absorbed_into`
    is the one that replaces this one. `restores` maps skills to the trees that they
    get back, byte for byte, or to nothing if they are removed. `archives` is the tree
    of a skill that moves to the archive unchanged. `waivers` is a new waivers.yaml; a
    draft with one leaves the skill alone.
    """

    skill: str
    files: Mapping[str, DraftFile] = field(default_factory=dict)
    evidence: Mapping[str, bytes] = field(default_factory=dict)
    examples: tuple[str, ...] = ()
    absorbed: tuple[str, ...] = ()
    absorbed_into: str = ""
    restores: Mapping[str, str] = field(default_factory=dict)
    archives: str = ""
    waivers: bytes = b""
    reverts: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()  # files of the folder that git ignores
    target: str = ""  # the version that a rollback restores, in words
    origin: Origin = Origin.HUMAN
    why: str = ""
    session: str = ""
    model: str = ""

    @property
    def digest(self) -> str:
        """Equal for drafts that put the same bytes into the library."""
        import hashlib
        import json

        files = sorted(
            (path, file.is_executable, hashlib.sha256(file.data).hexdigest())
            for path, file in self.files.items()
        )
        evidence = sorted((i, d.decode("latin-1")) for i, d in self.evidence.items())
        restores = sorted(self.restores.items())
        content = [self.skill, files, evidence, sorted(self.absorbed), restores]
        content += [self.archives] if self.archives else []
        content += [self.waivers.decode("latin-1")] if self.waivers else []
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    @property
    def skills(self) -> tuple[str, ...]:
        """Every skill that it may touch, its own first."""
        return tuple(dict.fromkeys((self.skill, *self.absorbed, *self.restores)))


class Status(StrEnum):
    """How a check of the gate ended; only `PASSED` is a pass."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    NOT_RUN = "not-run"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check of the gate for the skills of a proposal."""

    name: str
    status: Status
    findings: tuple[Finding, ...] = ()
    skills: Mapping[str, Status] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gate's decision on exact bytes: this head on this base, by this policy."""

    head: str
    base: str
    tree: str
    policy: str
    checks: tuple[CheckResult, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether there was a check, and all of them passed."""
        return bool(self.checks) and all(
            check.status is Status.PASSED for check in self.checks
        )

    @property
    def not_run(self) -> tuple[str, ...]:
        """The checks that did not run, if no other check failed."""
        bad = [check for check in self.checks if check.status is not Status.PASSED]
        is_not_run = all(check.status is Status.NOT_RUN for check in bad)
        return tuple(check.name for check in bad) if is_not_run else ()

    @property
    def danger(self) -> Danger | None:
        """The verdict of the scan and the sandbox's traps; None if neither ran.

        Known findings don't count: it is about what the change brings.
        """
        findings = [
            finding
            for check in self.checks
            if check.name == SCAN
            for finding in check.findings
            if not finding.known
        ]
        alarms = [f for c in self.checks for f in c.findings if f.rule == CANARY]
        has_run = any(check.name == SCAN for check in self.checks)
        return Danger.of([*findings, *alarms]) if has_run or alarms else None

    @property
    def digest(self) -> str:
        """Equal for equal verdicts, whatever time the checks took."""
        import hashlib
        import json

        content = [self.head, self.base, self.tree, self.policy]
        for check in self.checks:
            findings = [[f.rule, f.severity, f.path, f.line] for f in check.findings]
            content.append(json.dumps([check.name, check.status, findings]))
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


class Approval(NamedTuple):
    """A reviewer's approval of exact bytes."""

    by: str
    head: str
    tree: str
    base: str
    evidence: str
    seconds: int


class Comment(NamedTuple):
    """A comment on a proposal."""

    by: str
    text: str
    seconds: int


class State(StrEnum):
    """The state of a proposal."""

    OPEN = "open"
    MERGED = "merged"
    CLOSED = "closed"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A draft on a branch, waiting on a forge.

    `head` is the commit of the branch; an approval or verdict for another head does not
    count.
    """

    number: int
    skill: str
    skills: tuple[str, ...]
    action: Action
    origin: Origin
    author: str
    title: str
    why: str
    branch: str
    head: str
    base: str
    digest: str
    opened: int
    examples: tuple[str, ...] = ()
    is_draft: bool = False
    state: State = State.OPEN
    approvals: tuple[Approval, ...] = ()
    comments: tuple[Comment, ...] = ()
    verdict: Verdict | None = None
    merge: str = ""
    url: str = ""
    message: str = ""  # of the commit that Skillforge made for it
    made: str = ""  # that commit; if the branch has another, it was changed by hand
    absorbed_into: str = ""
    # Known to the forge only, and not part of the record:
    is_from_fork: bool = False  # the author usually can't push
    makers: tuple[str, ...] = ()  # other authors
    objections: tuple[str, ...] = ()  # reviewers who requested changes
    ci: Status | None = None  # the result of the gate in the forge's CI

    @property
    def is_open(self) -> bool:
        return self.state is State.OPEN
