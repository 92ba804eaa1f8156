"""ATIF, versions 1.4 to 1.7: trajectories as Harbor and its relatives write them.

A trajectory does not say whether it succeeded; a verifier does, in a file beside it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from skillforge.learn.formats import (
    FormatProblem,
    Found,
    Record,
    RecordOrigin,
    as_answer,
    as_arguments,
    as_text,
)
from skillforge.learn.formats.episode_builder import Collector
from skillforge.learn.formats.outcome_hints import by_reward
from skillforge.learn.formats.untrusted_values import (
    first_word,
    listed,
    mapping,
    parsed,
    stem,
)
from skillforge.model import Example, Outcome, OutcomeStatus

NAME = "atif"


def knows(first: Mapping[str, Any]) -> bool:
    version = first.get("schema_version")
    if isinstance(version, str) and version.startswith("ATIF"):
        return True
    has_agent = isinstance(first.get("agent"), Mapping)
    return has_agent and isinstance(first.get("steps"), list) and "task" not in first


def read(records: Iterable[Record], origin: RecordOrigin) -> Iterator[Found]:
    """Every document is an episode; a verdict beside the file is of its only one."""
    rest = iter(records)
    start = list(islice(rest, 2))
    is_only_one = len(start) == 1 and start[0].line == 1  # not the tail of a long file
    for found in _documents(chain(start, rest), origin):
        if is_only_one and isinstance(found, Example):
            yield replace(found, outcome=_verdict(origin))
        else:
            yield found


def _documents(records: Iterable[Record], origin: RecordOrigin) -> Iterator[Found]:
    for line, value in records:
        document = mapping(value)
        steps = document.get("steps")
        if isinstance(steps, list) and steps:
            yield from _episode(line, document, origin)
        else:
            yield FormatProblem(line, "a trajectory without steps")


def _episode(
    line: int, document: Mapping[str, Any], origin: RecordOrigin
) -> Iterator[Found]:
    episode = Collector(NAME, line, _session(line, document, origin))
    agent = mapping(document.get("agent"))
    episode.learn(agent=agent.get("name"), version=agent.get("version"))
    episode.learn(model=agent.get("model_name"))
    steps = listed(document.get("steps"))
    odd = sum(not _take(episode, step) for step in steps)
    if odd:
        yield FormatProblem(line, f"{odd} of {len(steps)} steps make no sense")
    yield from episode.finished()


def _session(line: int, document: Mapping[str, Any], origin: RecordOrigin) -> str:
    """Its id; else the trial's folder, as every trial calls its file `trajectory`."""
    if said := first_word(document, "session_id", "trajectory_id"):
        return said
    name = stem(origin.name)
    if name == "trajectory":
        folders = [folder for folder in origin.folder if folder != "agent"]
        name = folders[-1] if folders else name
    return name if line == 1 else f"{name}:{line}"


def _take(episode: Collector, value: Any) -> bool:
    """Add a step; False if it is none. What a system says is no part of the work."""
    step = mapping(value)
    source = step.get("source")
    if source not in ("user", "agent", "system"):
        return False
    if source == "system":
        return True
    if step.get("is_copied_context") is True:
        _recall(episode, step)
        return True
    episode.learn(step.get("timestamp"), model=step.get("model_name"))
    episode.messages += 1
    role = "user" if source == "user" else "assistant"
    episode.say(role, as_text(step.get("message")))
    for call in map(mapping, listed(step.get("tool_calls"))):
        tool = first_word(call, "function_name", "name")
        arguments = as_arguments(call.get("arguments"))
        episode.call(tool, arguments, call.get("tool_call_id"))
    for result in listed(mapping(step.get("observation")).get("results")):
        _answer(episode, mapping(result))
    return True


def _recall(episode: Collector, step: Mapping[str, Any]) -> None:
    """A step of an earlier trajectory: not done here, but perhaps asked for there."""
    if step.get("source") == "user":
        episode.ask(as_text(step.get("message")))


def _answer(episode: Collector, result: Mapping[str, Any]) -> None:
    # A result that only refers to a sub-agent's trajectory has no content.
    episode.messages += 1
    text = as_answer(result.get("content"))
    episode.answer(text, key=result.get("source_call_id"))


def _verdict(origin: RecordOrigin) -> Outcome:
    """What the verifier left beside the trajectory, most telling file first."""
    for name in ("result.json", "reward.json", "reward.txt"):
        said = origin.beside(name).decode("utf-8", "replace").strip()
        reward = _reward(parsed(said)) if name.endswith(".json") else said
        result = by_reward(reward, name)
        if result.status is not OutcomeStatus.UNKNOWN:
            return result
    return Outcome()


def _reward(said: Any) -> Any:
    """The reward in a file of JSON: alone, by its name, or the only one of several."""
    if not isinstance(said, Mapping):
        return said
    rewards = mapping(said.get("verifier_result")).get("rewards", said.get("rewards"))
    rewards = rewards if isinstance(rewards, Mapping) else said
    if "reward" in rewards:
        return rewards["reward"]
    is_alone = rewards is not said and len(rewards) == 1
    return next(iter(rewards.values())) if is_alone else None
