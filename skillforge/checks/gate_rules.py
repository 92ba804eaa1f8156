"""What the gate finds beside the rules that look at one skill: their manual.

These need a base to compare with, evidence, other skills or a trial, so no function of
one skill can be their check; what they say is said here.
"""

from typing import NamedTuple

from skillforge.model import Severity

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE


class GateRule(NamedTuple):
    """One demand of the gate: which check asks for it, and its manual page."""

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
        "A skill goes to the archive, and comes back, as it is.\n\n"
        "`skillforge curate --propose` moves a skill there, `curate --restore` brings\n"
        "it back; nothing else writes archive/.",
    ),
    "exact": (
        "paths",
        _E,
        "A rollback brings back a version that main held before, to the byte.\n\n"
        "Whatever differs from every earlier version is an edit: propose it as one.",
    ),
    "overlap": (
        "overlap",
        _E,
        "A skill does not say what another says, nor take what calls for another.\n\n"
        "From 90 % the same it is an error, from 75 % a warning: propose an edit of\n"
        "the skill that is there. A request that another skill ships in\n"
        "evals/eval_queries.json, or a task of its examples, must not rank this one\n"
        "first.",
    ),
    "evidence": (
        "evidence",
        _E,
        "What an agent made rests on approved examples whose success was verified.\n\n"
        "By default five of them from three sessions (policy key `evidence`). Each is\n"
        "what its digest says, was redacted, and is held out if it is its turn; most\n"
        "are about what the skill is about.",
    ),
    "too-few-cases": (
        "test",
        _E,
        "A skill with scripts brings cases that prove it.\n\n"
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
        "What lies in tests/ and looks like a test is run.\n\n"
        "Run are *.yaml, test_*.py, and executable *.sh that say in their first line\n"
        "what runs them.",
    ),
    "held-out-copied": (
        "test",
        _E,
        "A skill does not hold the text of a held-out example.\n\n"
        "The example is there to find out whether the skill works on what its author\n"
        "has not seen. Exactly or nearly, quoted or wrapped: take it out.",
    ),
    "canary": (
        "test",
        _E,
        "A trial reads no planted key, and reaches for no network.\n\n"
        "Keys are planted as traps in the home and the environment of a trial. To\n"
        "read one, write one out, or try to connect makes the verdict dangerous,\n"
        "whatever the text looked like. `expect: {connects: true}` allows the try to\n"
        "connect.",
    ),
    "trial-failed": ("test", _E, "Every trial passes: what came out was expected."),
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
        "A waiver fits the file, the rule and the day that it names.\n\n"
        "One that no longer does lets nothing pass: look again, then write it anew or\n"
        "take it out.",
    ),
}


def gate_rules() -> dict[str, GateRule]:
    """Every rule of the gate that is no rule of one skill, by id."""
    return {name: GateRule(name, *page) for name, page in _PAGES.items()}
