"""Approved examples to train a model with: conversations, and preference pairs."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from skillforge import __version__
from skillforge.checks.private_names import private_to
from skillforge.errors import ConflictError, RequestError
from skillforge.learn import patterns, scoring
from skillforge.learn.patterns import Pattern
from skillforge.library import Library, replace_file
from skillforge.model import Example, OutcomeStatus, Step, StepKind
from skillforge.text import similarity, terms

SHAREGPT, DPO, MANIFEST = "sharegpt.jsonl", "dpo.jsonl", "manifest.json"


class Exported(NamedTuple):
    """What was written where."""

    folder: Path
    conversations: int
    pairs: int
    files: dict[str, str]  # sha256 by name


def export(library: Library, folder: Path, *, force: bool = False) -> Exported:
    """Write what was approved and verified: successes, and pairs with failures."""
    _refuse_library(library, folder)
    found = patterns.find(library)
    known = private_to(library)

    def clean(members: Iterable[patterns.PatternMember]) -> list[Example]:
        counted = [it for it in patterns.full(library, members) if it.counts]
        return [scoring.redact(example, known)[0] for example in counted]

    every = [clean(pattern.members) for pattern in found.patterns]
    alone = clean(found.waiting)
    talks = [
        conversation(example)
        for example in (*(it for group in every for it in group), *alone)
        if example.has_succeeded
    ]
    pairs = [
        pair
        for pattern, group in zip(found.patterns, every, strict=True)
        for pair in _pairs(pattern, group)
    ]
    if not talks:
        raise ConflictError(
            "no approved example has a verified success: there is nothing to export",
            hint="skillforge examples approve --all-verified",
        )
    files = {SHAREGPT: _lines(talks), DPO: _lines(pairs)}
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    files[MANIFEST] = _manifest(talks, pairs, digests)
    _write(folder, files, force=force)
    return Exported(folder, len(talks), len(pairs), digests)


def conversation(example: Example) -> dict[str, Any]:
    """An example as a ShareGPT conversation, tools in Hermes' tags."""
    turns: list[dict[str, str]] = [{"from": "human", "value": example.task}]
    for step in _after_task(example):
        who, said = _turn(step)
        if turns[-1]["from"] == who:
            turns[-1]["value"] += f"\n{said}"
        else:
            turns.append({"from": who, "value": said})
    if example.output and turns[-1]["from"] != "gpt":
        turns.append({"from": "gpt", "value": _text(example.output)})
    return {"id": example.id, "conversations": turns}


def _after_task(example: Example) -> Sequence[Step]:
    first = next(iter(example.steps), None)
    is_task = first is not None and first.role == "user"
    return example.steps[1:] if is_task else example.steps


def _turn(step: Step) -> tuple[str, str]:
    if step.kind is StepKind.CALL:
        call = {"name": step.tool, "arguments": dict(step.arguments)}
        return "gpt", f"<tool_call>\n{_text(call)}\n</tool_call>"
    if step.kind is StepKind.MESSAGE:
        return ("human" if step.role == "user" else "gpt"), step.text
    return "tool", f"<tool_response>\n{step.text}\n</tool_response>"


def _pairs(pattern: Pattern, examples: Sequence[Example]) -> Iterator[dict[str, Any]]:
    """Each failure against the success that was most alike; each used once."""
    left = [it for it in examples if it.has_succeeded]
    for bad in (it for it in examples if it.outcome.status is OutcomeStatus.FAILURE):
        if left:
            good = max(left, key=lambda it: (_alike(it, bad), it.id))
            left.remove(good)
            yield {
                "prompt": good.task,
                "chosen": _answer(good),
                "rejected": _answer(bad),
                "pattern": pattern.id,
                "chosen_id": good.id,
                "rejected_id": bad.id,
            }


def _alike(one: Example, other: Example) -> float:
    said, asked = (frozenset(map(hash, terms(it.task))) for it in (one, other))
    return similarity(said, asked)


def _answer(example: Example) -> list[dict[str, str]]:
    return conversation(example)["conversations"][1:]  # type: ignore[no-any-return]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _lines(rows: Iterable[dict[str, Any]]) -> bytes:
    said = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return said.encode("utf-8", "backslashreplace")


def _manifest(
    talks: list[dict[str, Any]], pairs: list[dict[str, Any]], digests: dict[str, str]
) -> bytes:
    said = {
        "format": "skillforge-export/1",
        "made_by": f"skillforge {__version__}",
        "conversations": len(talks),
        "pairs": len(pairs),
        "examples": sorted(talk["id"] for talk in talks),
        "sha256": digests,
        "redacted": True,
    }
    return json.dumps(said, indent=2).encode() + b"\n"


def _refuse_library(library: Library, folder: Path) -> None:
    """What is made to train a model does not belong among skills."""
    root = library.root.resolve()
    if folder.resolve().is_relative_to(root):
        raise RequestError(
            f"{folder} is in the library: exported examples would end up in git",
            hint="name a folder outside of it",
        )


def _write(folder: Path, files: dict[str, bytes], *, force: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = [name for name in files if (folder / name).exists()]
        is_same = all((folder / name).read_bytes() == files[name] for name in taken)
    except OSError as err:
        raise RequestError(
            f"{folder} cannot be used: {err.strerror}", hint="name another folder"
        ) from err
    if taken and not is_same and not force:
        raise ConflictError(
            f"{folder} holds another export", hint="--force replaces it"
        )
    for name, data in files.items():
        replace_file(folder / name, data)
