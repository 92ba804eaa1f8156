"""`waivers.yaml`: findings that a reviewer accepted for some time.

The file belongs to the library, not to a skill, and is read at the base: a draft cannot
waive its own findings. A waiver names a rule, a file and its hash, the reviewer, the
reason and the end date. When one of these no longer fits, the finding is reported
again, and the waiver as stale.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

from skillforge.errors import ConfigError
from skillforge.model import WAIVERS_FILE, Finding, Severity, Skill
from skillforge.schema_errors import YamlFileError, load_yaml, misfit


@dataclass(frozen=True, slots=True)
class Waiver:
    """A reviewer's decision to accept a finding."""

    rule: str
    path: str
    sha256: str
    who: str
    why: str
    until: date


def read_waivers(data: bytes) -> tuple[Waiver, ...]:
    """Read the file, or raise an error that names the line."""
    if not data.strip():
        return ()
    try:
        entries, line_of = load_yaml(data)
    except YamlFileError as err:
        raise _wrong(err.line, err.why) from err
    if entries is None:
        return ()
    if mismatch := misfit(entries, "waivers.schema.json"):
        raise _wrong(line_of(mismatch.path), mismatch.words)
    return tuple(_waiver(e, line_of([n])) for n, e in enumerate(entries))


def _wrong(line: int, why: str) -> ConfigError:
    return ConfigError(
        f"{WAIVERS_FILE}:{line}: {why}", hint="docs/scan.md describes the format"
    )


def _waiver(entry: Mapping[str, Any], line: int) -> Waiver:
    try:
        until = date.fromisoformat(entry["until"])
    except ValueError as err:
        raise _wrong(line, f"{entry['until']!r} is not a date like 2027-01-31") from err
    return Waiver(**{**entry, "until": until})


def with_waivers(data: bytes, added: Sequence[Waiver]) -> bytes:
    """The file with more waivers; each replaces those of the same rule and file.

    Other entries stay as they are written, with their comments, if they are in blocks.
    """
    about = {(waiver.rule, waiver.path) for waiver in added}
    before = read_waivers(data)
    kept = [w for w in before if (w.rule, w.path) not in about]
    lines = data.decode().splitlines(keepends=True)
    starts = [at for at, line in enumerate(lines) if line.startswith("- ")]
    own = lines[: starts[0]] if starts else lines  # the rest is in entries
    if len(starts) == len(before):
        ends = [*starts, len(lines)][1:]
        for waiver, start, end in zip(before, starts, ends, strict=True):
            own += lines[start:end] if waiver in kept else []
    text = "".join(own)
    text += "\n" if text and not text.endswith("\n") else ""
    new = "".join(map(_entry_text, added))
    with suppress(ConfigError):
        if read_waivers((text + new).encode()) == (*kept, *added):
            return (text + new).encode()
    return ("".join(map(_entry_text, kept)) + new).encode()  # it was not in blocks


def _entry_text(waiver: Waiver) -> str:
    fields = {**asdict(waiver), "until": waiver.until.isoformat()}
    lines = (f"{name}: {json.dumps(value)}" for name, value in fields.items())
    return "- " + "\n  ".join(lines) + "\n"


def apply(
    findings: Iterable[Finding], skill: Skill, waivers: Iterable[Waiver], today: date
) -> Iterator[Finding]:
    """The findings of a skill, waived ones as notes, and its stale waivers.

    Paths of findings are relative to the skill, those of waivers to the library.
    """
    of_skill = [w for w in waivers if w.path.startswith(f"{skill.path}/")]
    used: set[Waiver] = set()
    for finding in findings:
        waiver = next((w for w in of_skill if _covers(w, finding, skill, today)), None)
        if waiver is None:
            yield finding
        else:
            used.add(waiver)
            waived = f"by {waiver.who} until {waiver.until}: {waiver.why}"
            yield replace(
                finding,
                severity=Severity.NOTE,
                message=f"{finding.message} (waived {waived})",
                waived=waived,
                was=finding.severity.value,
            )
    for waiver in of_skill:
        if waiver not in used:
            yield _stale(waiver, skill, today)


def _covers(waiver: Waiver, finding: Finding, skill: Skill, today: date) -> bool:
    file = finding.path
    if file not in skill.files:  # something inside an archive
        file = file.partition("!")[0]
    return (
        waiver.rule == finding.rule
        and waiver.path == f"{skill.path}/{file}"
        and today <= waiver.until
        and waiver.sha256 == digest(skill, file)
    )


def digest(skill: Skill, path: str) -> str:
    """The hash of a file's bytes; empty if there is no such file."""
    return hashlib.sha256(skill.read(path)).hexdigest() if path in skill.files else ""


def _stale(waiver: Waiver, skill: Skill, today: date) -> Finding:
    inside = waiver.path.removeprefix(f"{skill.path}/")
    if today > waiver.until:
        why = f"it expired on {waiver.until}"
    elif inside not in skill.files:
        why = "its file does not exist"
    elif waiver.sha256 != digest(skill, inside):
        why = "its file has changed"
    else:
        why = "the finding is gone"
    message = f"stale waiver for {waiver.rule}: {why}"
    hint = f"remove it from {WAIVERS_FILE}, or review the file again and renew it"
    return Finding("waiver-stale", Severity.NOTE, message, inside, 1, hint)
