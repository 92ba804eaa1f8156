"""Export approved examples as training data: conversations, and preference pairs."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillforge import __version__
from skillforge.checks.private_names import private_to
from skillforge.errors import ConflictError, RequestError
from skillforge.learn import patterns, scoring
from skillforge.learn.patterns import Pattern
from skillforge.library import Library, replace_file
from skillforge.model import Example, OutcomeStatus, Step, StepKind
from skillforge.text import similarity, terms

SHAREGPT, DPO, MANIFEST = "sharegpt.jsonl", "dpo.jsonl", "manifest.json"


@dataclass(frozen=True, slots=True)
class Export:
    """The files that were written."""

    folder: Path
    conversations: int
    pairs: int
    digests: dict[str, str]  # sha256 by file name


def export(library: Library, folder: Path, *, force: bool = False) -> Export:
    """Write approved, verified examples: successes, and pairs with failures."""
    _refuse_library(library, folder)
    found = patterns.find(library)
    known = private_to(library)

    def clean(members: Iterable[patterns.PatternMember]) -> list[Example]:
        return [
            scoring.redact(example, known)[0]
            for example in patterns.full_examples(library, members)
            if example.counts
        ]

    groups = [clean(pattern.members) for pattern in found.patterns]
    conversations = [
        conversation(example)
        for group in (*groups, clean(found.unclustered))
        for example in group
        if example.has_succeeded
    ]
    pairs = [
        pair
        for pattern, group in zip(found.patterns, groups, strict=True)
        for pair in _pairs(pattern, group)
    ]
    if not conversations:
        raise ConflictError(
            "nothing to export: no approved example has a verified success",
            hint="skillforge examples approve --all-verified",
        )
    files = {SHAREGPT: _lines(conversations), DPO: _lines(pairs)}
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    files[MANIFEST] = _manifest(conversations, len(pairs), digests)
    _write(folder, files, force=force)
    return Export(folder, len(conversations), len(pairs), digests)


def conversation(example: Example) -> dict[str, Any]:
    """An example as a ShareGPT conversation, tools in Hermes' tags."""
    turns: list[dict[str, str]] = [{"from": "human", "value": example.task}]
    has_task = bool(example.steps) and example.steps[0].role == "user"
    for step in example.steps[1:] if has_task else example.steps:
        role, text = _turn(step)
        if turns[-1]["from"] == role:
            turns[-1]["value"] += f"\n{text}"
        else:
            turns.append({"from": role, "value": text})
    if example.output and turns[-1]["from"] != "gpt":
        turns.append({"from": "gpt", "value": _text(example.output)})
    return {"id": example.id, "conversations": turns}


def _turn(step: Step) -> tuple[str, str]:
    if step.kind is StepKind.CALL:
        call = {"name": step.tool, "arguments": dict(step.arguments)}
        return "gpt", f"<tool_call>\n{_text(call)}\n</tool_call>"
    if step.kind is StepKind.MESSAGE:
        return ("human" if step.role == "user" else "gpt"), step.text
    return "tool", f"<tool_response>\n{step.text}\n</tool_response>"


def _pairs(pattern: Pattern, examples: Sequence[Example]) -> Iterator[dict[str, Any]]:
    """Each failure with the most similar success; no example is used twice."""
    successes = [example for example in examples if example.has_succeeded]
    for bad in examples:
        if bad.outcome.status is OutcomeStatus.FAILURE and successes:
            good = max(
                successes, key=lambda member: (_similarity(member, bad), member.id)
            )
            successes.remove(good)
            yield {
                "prompt": good.task,
                "chosen": conversation(good)["conversations"][1:],
                "rejected": conversation(bad)["conversations"][1:],
                "pattern": pattern.id,
                "chosen_id": good.id,
                "rejected_id": bad.id,
            }


def _similarity(first: Example, second: Example) -> float:
    tasks = (frozenset(map(hash, terms(member.task))) for member in (first, second))
    return similarity(*tasks)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _lines(rows: Iterable[dict[str, Any]]) -> bytes:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return text.encode("utf-8", "backslashreplace")


def _manifest(
    conversations: list[dict[str, Any]], pairs: int, digests: dict[str, str]
) -> bytes:
    manifest = {
        "format": "skillforge-export/1",
        "made_by": f"skillforge {__version__}",
        "conversations": len(conversations),
        "pairs": pairs,
        "examples": sorted(entry["id"] for entry in conversations),
        "sha256": digests,
        "redacted": True,
    }
    return json.dumps(manifest, indent=2).encode() + b"\n"


def _refuse_library(library: Library, folder: Path) -> None:
    if folder.resolve().is_relative_to(library.root.resolve()):
        raise RequestError(
            f"{folder} is inside the library: exported examples would end up in git",
            hint="name a folder outside of it",
        )


def _write(folder: Path, files: dict[str, bytes], *, force: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        existing = [name for name in files if (folder / name).exists()]
        is_same = all((folder / name).read_bytes() == files[name] for name in existing)
    except OSError as err:
        raise RequestError(
            f"cannot write to {folder}: {err.strerror}", hint="name another folder"
        ) from err
    if existing and not is_same and not force:
        raise ConflictError(
            f"{folder} contains another export", hint="--force replaces it"
        )
    for name, data in files.items():
        replace_file(folder / name, data)
