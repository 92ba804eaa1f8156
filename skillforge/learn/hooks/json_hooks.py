"""Hooks in JSON (Claude Code, Codex), and the taps of Hermes."""

import json
import re
from typing import Any

from skillforge.learn.hooks import SECONDS, Agent, cannot_change, is_ours

_INDENT = re.compile(r"^\{\s*\n([ \t]+)\"")


def with_hook(text: str, agent: Agent, line: str) -> str:
    """A configuration with our hook once; it replaces an earlier one."""
    settings = _without(_loaded(text, agent.file), agent)
    hooks = settings.setdefault("hooks", {})
    group = {"hooks": [{"type": "command", "command": line, "timeout": SECONDS}]}
    hooks[agent.event] = [*hooks.get(agent.event, []), group]
    return _written(text, settings)


def without_hook(text: str, agent: Agent) -> str:
    """A configuration without our hook."""
    settings = _loaded(text, agent.file)
    return _written(text, _without(settings, agent)) if has_hook(text, agent) else text


def has_hook(text: str, agent: Agent) -> bool:
    groups = _groups(_loaded(text, agent.file), agent)
    return any(is_ours(hook.get("command"), agent.name) for hook in _hooks(groups))


def with_tap(text: str, repo: str) -> str:
    """The taps of Hermes with one more, unless it exists."""
    taps = _loaded(text, "taps.json")
    known = taps.setdefault("taps", [])
    if not isinstance(known, list):
        raise cannot_change(
            "taps.json", "has no list of taps", f"hermes skills tap add {repo}"
        )
    if any(isinstance(tap, dict) and tap.get("repo") == repo for tap in known):
        return text
    known.append({"repo": repo, "path": "skills/"})
    return _written(text, taps)


def _without(settings: dict[str, Any], agent: Agent) -> dict[str, Any]:
    groups = _groups(settings, agent)
    if not groups:
        return settings
    rest = [
        left for left in (_rest(group, agent) for group in groups) if left is not None
    ]
    hooks = {**settings["hooks"], agent.event: rest}
    if not rest:
        del hooks[agent.event]
    if hooks:
        return settings | {"hooks": hooks}
    return {key: value for key, value in settings.items() if key != "hooks"}


def _rest(group: Any, agent: Agent) -> Any:
    """A group of hooks without ours; None if ours was the only one."""
    ours = [
        hook for hook in _hooks([group]) if is_ours(hook.get("command"), agent.name)
    ]
    if not ours:
        return group
    rest = [hook for hook in group["hooks"] if hook not in ours]
    return group | {"hooks": rest} if rest else None


def _groups(settings: dict[str, Any], agent: Agent) -> list[Any]:
    hooks = settings.get("hooks", {})
    groups = hooks.get(agent.event, []) if isinstance(hooks, dict) else None
    if not isinstance(groups, list):
        raise cannot_change(
            agent.file,
            f"has an unknown layout of `hooks` ({agent.event})",
            "add a hook as docs/agents.md shows it",
        )
    return groups


def _hooks(groups: list[Any]) -> list[dict[str, Any]]:
    return [
        hook
        for group in groups
        if isinstance(group, dict) and isinstance(group.get("hooks"), list)
        for hook in group["hooks"]
        if isinstance(hook, dict)
    ]


def _loaded(text: str, file: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        settings = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as err:
        raise cannot_change(
            file, f"is not JSON: {err}", "add the hook yourself"
        ) from err
    if not isinstance(settings, dict):
        raise cannot_change(file, "is not an object", "add the hook yourself")
    return settings


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without duplicate keys, as one of their values would be lost."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise ValueError("duplicate key")
    return entries


def _written(text: str, settings: dict[str, Any]) -> str:
    match = _INDENT.match(text)
    indent = match[1] if match else 2
    return json.dumps(settings, indent=indent, ensure_ascii=False) + "\n"
