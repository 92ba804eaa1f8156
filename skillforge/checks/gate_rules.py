"""The manual of the gate's findings that are not rules for a single skill.

They need a base to compare with, evidence, other skills or a trial.
"""

from typing import NamedTuple

from skillforge.model import Severity

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE


class GateRule(NamedTuple):
    """A rule of the gate: the check it belongs to, and its manual page."""

    id: str
    check: str
    severity: Severity
    page: str

    @property
    def summary(self) -> str:
        return self.page.partition("\n\n")[0]


_PAGES: dict[str, tuple[str, Severity, str]] = {
    "path": (
        "paths",
        _E,
        "A proposal changes the files of one skill, and nothing else.\n\n"
        "It may touch skills/NAME/ and evidence/NAME/ only, starts with the commit\n"
        "that was proposed, and contains no merge. Policy, workflows and other skills\n"
        "are out of its reach.",
    ),
    "tree": (
        "paths",
        _E,
        "Every reader of a commit sees the same files in it.\n\n"
        "Its trees are as git itself writes them: sorted, no name twice, no unusual\n"
        "modes, no name that git keeps for itself. Git takes other trees from a push,\n"
        "and its commands then disagree on what they contain. Make the commit again\n"
        "with git.",
    ),
    "archive": (
        "paths",
        _E,
        "A skill is archived and restored unchanged.\n\n"
        "`skillforge curate --propose` moves a skill there, `curate --restore` brings\n"
        "it back; nothing else writes archive/.",
    ),
    "exact": (
        "paths",
        _E,
        "A rollback restores a version that main had before, to the byte.\n\n"
        "What differs from every earlier version is an edit: propose it as one.",
    ),
    "overlap": (
        "overlap",
        _E,
        "A skill does not duplicate another, or take its requests.\n\n"
        "From 90 % similarity it is an error, from 75 % a warning: propose an edit of\n"
        "the existing skill. A request that another skill ships in\n"
        "evals/eval_queries.json, or a task of its examples, must not rank this one\n"
        "first.",
    ),
    "evidence": (
        "evidence",
        _E,
        "A skill by an agent needs approved examples with verified success.\n\n"
        "By default five of them from three sessions (policy key `evidence`). Each\n"
        "matches its digest, is redacted, and is held out if its digest says so; most\n"
        "are related to the skill.",
    ),
    "too-few-cases": (
        "test",
        _E,
        "A skill with scripts has cases that test it.\n\n"
        "The policy key `tests` says how many: one for a skill with scripts, two if\n"
        "an agent made it, none for prose. `skillforge test` only warns.",
    ),
    "no-variant": (
        "test",
        _E,
        "One case of an agent's skill is a variant or a held-out example.\n\n"
        "A case that its author chose freely proves little: add `variants` to a case,\n"
        "or tests/replay.yaml.",
    ),
    "no-replay": (
        "test",
        _W,
        "Held-out examples are tried.\n\n"
        "tests/replay.yaml says how an example becomes a case. For a skill with\n"
        "scripts it is an error at the gate if there is none.",
    ),
    "not-a-case": (
        "test",
        _W,
        "Every file in tests/ that looks like a test is run.\n\n"
        "These are *.yaml, test_*.py, and executable *.sh with a shebang line.",
    ),
    "held-out-copied": (
        "test",
        _E,
        "A skill does not contain the text of a held-out example.\n\n"
        "The example tests whether the skill works on input that its author has not\n"
        "seen. Remove the text, also where it is quoted, wrapped or slightly changed.",
    ),
    "canary": (
        "test",
        _E,
        "A trial reads no planted key, and does not connect to the network.\n\n"
        "Keys are planted as traps in the home and the environment of a trial. To\n"
        "read one, write one out, or try to connect makes the verdict dangerous,\n"
        "whatever the text looked like. `expect: {connects: true}` allows the try to\n"
        "connect.",
    ),
    "trial-failed": (
        "test",
        _E,
        "Every trial passes: the result is what the case expects.",
    ),
    "trial-error": ("test", _E, "Every case can be run as it is written."),
    "trial-timeout": ("test", _E, "Every trial ends within its seconds."),
    "trial-limit": (
        "test",
        _E,
        "No trial uses more memory, processes, disk or output than it may.",
    ),
    "trial-flaky": ("test", _E, "A trial that is repeated ends the same each time."),
    "trial-not-run": (
        "test",
        _E,
        "Every trial is run. Without a sandbox none is, and not run is never passed.",
    ),
    "waiver-stale": (
        "scan",
        _N,
        "A waiver fits the file, the rule and the date that it names.\n\n"
        "A stale one has no effect: review the file again, then renew or remove it.",
    ),
}


def gate_rules() -> dict[str, GateRule]:
    """Every rule of the gate that is not a rule for a single skill, by id."""
    return {name: GateRule(name, *page) for name, page in _PAGES.items()}
