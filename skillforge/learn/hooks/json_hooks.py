"""Hooks in JSON, as Claude Code and Codex have them; and taps of Hermes."""

import json
import re
from typing import Any

from skillforge.learn.hooks import SECONDS, Agent, by_hand, is_ours

_INDENT = re.compile(r"^\{\s*\n([ \t]+)\"")


def with_hook(text: str, agent: Agent, line: str) -> str:
    """A configuration with our hook in it, once, whatever line it had before."""
    settings = _without(_loaded(text, agent.file), agent)
    hooks = settings.setdefault("hooks", {})
    group = {"hooks": [{"type": "command", "command": line, "timeout": SECONDS}]}
    hooks[agent.event] = [*hooks.get(agent.event, []), group]
    return _written(text, settings)


def without_hook(text: str, agent: Agent) -> str:
    """The same configuration without our hook; others stay."""
    settings = _loaded(text, agent.file)
    return _written(text, _without(settings, agent)) if has_hook(text, agent) else text


def has_hook(text: str, agent: Agent) -> bool:
    groups = _groups(_loaded(text, agent.file), agent)
    return any(is_ours(hook.get("command"), agent.name) for _, hook in _hooks(groups))


def with_tap(text: str, repo: str) -> str:
    """The taps of Hermes with one more, if it is not there."""
    taps = _loaded(text, "taps.json")
    known = taps.setdefault("taps", [])
    if not isinstance(known, list):
        raise by_hand(
            "taps.json", "has no list of taps", f"hermes skills tap add {repo}"
        )
    if any(isinstance(it, dict) and it.get("repo") == repo for it in known):
        return text
    known.append({"repo": repo, "path": "skills/"})
    return _written(text, taps)


def _without(settings: dict[str, Any], agent: Agent) -> dict[str, Any]:
    groups = _groups(settings, agent)
    if not groups:
        return settings
    kept = [it for group in groups if (it := _rest(group, agent)) is not None]
    hooks = {**settings["hooks"], agent.event: kept}
    if not kept:
        del hooks[agent.event]
    if hooks:
        return settings | {"hooks": hooks}
    return {key: value for key, value in settings.items() if key != "hooks"}


def _rest(group: Any, agent: Agent) -> Any:
    """A group of hooks without ours; None if it held no other."""
    ours = [
        hook for _, hook in _hooks([group]) if is_ours(hook.get("command"), agent.name)
    ]
    if not ours:
        return group
    rest = [hook for hook in group["hooks"] if hook not in ours]
    return group | {"hooks": rest} if rest else None


def _groups(settings: dict[str, Any], agent: Agent) -> list[Any]:
    hooks = settings.get("hooks", {})
    groups = hooks.get(agent.event, []) if isinstance(hooks, dict) else None
    if not isinstance(groups, list):
        raise by_hand(
            agent.file,
            f"has `hooks` that are not understood ({agent.event})",
            "add a hook as docs/agents.md shows it",
        )
    return groups


def _hooks(groups: list[Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [
        (group, hook)
        for group in groups
        if isinstance(group, dict) and isinstance(group.get("hooks"), list)
        for hook in group["hooks"]
        if isinstance(hook, dict)
    ]


def _loaded(text: str, file: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        settings = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as err:
        raise by_hand(file, f"is not JSON: {err}", "add the hook yourself") from err
    if not isinstance(settings, dict):
        raise by_hand(file, "is not an object", "add the hook yourself")
    return settings


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, unless it says something twice: one of the two would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _written(text: str, settings: dict[str, Any]) -> str:
    match = _INDENT.match(text)
    said = json.dumps(settings, indent=match[1] if match else 2, ensure_ascii=False)
    return said + "\n"
