"""ATIF, versions 1.4 to 1.7: trajectories of Harbor and compatible tools.

A trajectory does not record whether it succeeded; a verifier does, in a file beside it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from skillforge.learn.formats import Episode, FormatProblem, Record, RecordOrigin
from skillforge.learn.formats import untrusted_values as values
from skillforge.learn.formats.episode_builder import EpisodeBuilder
from skillforge.learn.formats.outcome_hints import by_reward
from skillforge.model import Example, Outcome, OutcomeStatus

NAME = "atif"


def knows(first: Mapping[str, Any]) -> bool:
    version = first.get("schema_version")
    if isinstance(version, str) and version.startswith("ATIF"):
        return True
    has_agent = isinstance(first.get("agent"), Mapping)
    return has_agent and isinstance(first.get("steps"), list) and "task" not in first


def read(records: Iterable[Record], origin: RecordOrigin) -> Iterator[Episode]:
    """Each document is an episode; a verdict beside the file is for a single one."""
    rest = iter(records)
    start = list(islice(rest, 2))
    is_single = len(start) == 1 and start[0].line == 1  # not the tail of a long file
    for episode in _documents(chain(start, rest), origin):
        if is_single and isinstance(episode, Example):
            yield replace(episode, outcome=_verdict(origin))
        else:
            yield episode


def _documents(records: Iterable[Record], origin: RecordOrigin) -> Iterator[Episode]:
    for line, value in records:
        document = values.mapping(value)
        steps = document.get("steps")
        if isinstance(steps, list) and steps:
            yield from _episode(line, document, origin)
        else:
            yield FormatProblem(line, "a trajectory without steps")


def _episode(
    line: int, document: Mapping[str, Any], origin: RecordOrigin
) -> Iterator[Episode]:
    episode = EpisodeBuilder(NAME, line, _session(line, document, origin))
    agent = values.mapping(document.get("agent"))
    episode.add_context(agent=agent.get("name"), version=agent.get("version"))
    episode.add_context(model=agent.get("model_name"))
    yield from episode.add_all("steps", document.get("steps"), _add)
    yield from episode.finish()


def _session(line: int, document: Mapping[str, Any], origin: RecordOrigin) -> str:
    """Its id; else the trial's folder, as each trial names its file `trajectory`."""
    if number := values.first_name(document, "session_id", "trajectory_id"):
        return number
    name = values.stem(origin.name)
    if name == "trajectory":
        folders = [folder for folder in origin.folder if folder != "agent"]
        name = folders[-1] if folders else name
    return name if line == 1 else f"{name}:{line}"


def _add(episode: EpisodeBuilder, value: Any) -> bool:
    """Add a step, without system messages; False if it is not a step."""
    step = values.mapping(value)
    source = step.get("source")
    if source not in ("user", "agent", "system"):
        return False
    if source == "system":
        return True
    if step.get("is_copied_context") is True:
        _recall(episode, step)
        return True
    episode.add_context(step.get("timestamp"), model=step.get("model_name"))
    episode.messages += 1
    role = "user" if source == "user" else "assistant"
    episode.say(role, values.text(step.get("message")))
    for call in map(values.mapping, values.sequence(step.get("tool_calls"))):
        tool = values.first_name(call, "function_name", "name")
        arguments = values.arguments(call.get("arguments"))
        episode.call(tool, arguments, call.get("tool_call_id"))
    for result in values.sequence(
        values.mapping(step.get("observation")).get("results")
    ):
        _answer(episode, values.mapping(result))
    return True


def _recall(episode: EpisodeBuilder, step: Mapping[str, Any]) -> None:
    """A step of an earlier trajectory: not done here, but it may contain the task."""
    if step.get("source") == "user":
        episode.ask(values.text(step.get("message")))


def _answer(episode: EpisodeBuilder, result: Mapping[str, Any]) -> None:
    # A result that refers to a sub-agent's trajectory has no content.
    episode.messages += 1
    text = values.answer(result.get("content"))
    episode.answer(text, key=result.get("source_call_id"))


def _verdict(origin: RecordOrigin) -> Outcome:
    """The verifier's outcome beside the trajectory, the most detailed file first."""
    for name in ("result.json", "reward.json", "reward.txt"):
        text = origin.beside(name).decode("utf-8", "replace").strip()
        reward = _reward(values.parse_json(text)) if name.endswith(".json") else text
        result = by_reward(reward, name)
        if result.status is not OutcomeStatus.UNKNOWN:
            return result
    return Outcome()


def _reward(content: Any) -> Any:
    """The reward in a JSON file: its value, its `reward`, or its only reward."""
    if not isinstance(content, Mapping):
        return content
    verifier = values.mapping(content.get("verifier_result"))
    rewards = verifier.get("rewards", content.get("rewards"))
    rewards = rewards if isinstance(rewards, Mapping) else content
    if "reward" in rewards:
        return rewards["reward"]
    is_single = rewards is not content and len(rewards) == 1
    return next(iter(rewards.values())) if is_single else None
