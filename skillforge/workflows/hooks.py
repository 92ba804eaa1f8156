"""Hooks of agents: the entries in their configuration, and the work of a call."""

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from skillforge import processes
from skillforge.agents import skills_folder
from skillforge.errors import RequestError, SkillforgeError, ToolError
from skillforge.installation import program
from skillforge.learn import capture_trigger, hooks
from skillforge.learn.hooks import Agent, json_hooks, yaml_hooks
from skillforge.library import Library, replace_file
from skillforge.operate import assignment, folder_sync, materialize
from skillforge.store import cache_folder, hook_log

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_GITHUB = re.compile(
    r"(?:https://|git@|ssh://git@)github\.com[:/]([^/]+/[^/]+?)(?:\.git)?/?"
)


class ConfigChange(NamedTuple):
    """A file of an agent before and after a change."""

    path: Path
    before: str
    after: str

    @property
    def is_needed(self) -> bool:
        return self.before != self.after


class Extras(NamedTuple):
    """Options for Hermes besides the hook."""

    layout: bool = False
    tap: bool = False


def installed(agent: Agent, library: Library, extras: Extras) -> list[ConfigChange]:
    """The changes that install our hook; nothing is written."""
    line = hooks.command(program(), agent.name, str(library.root))
    file = _config(agent)
    before = _text(file)
    if agent.name != "hermes":
        return [ConfigChange(file, before, json_hooks.with_hook(before, agent, line))]
    changes = [
        ConfigChange(file, before, _hermes_with(before, agent, library, line, extras))
    ]
    if extras.tap:
        taps = file.parent / "skills" / ".hub" / "taps.json"
        text = _text(taps)
        changes.append(
            ConfigChange(taps, text, json_hooks.with_tap(text, _github(library)))
        )
    return changes


def removed(agent: Agent, library: Library) -> list[ConfigChange]:
    """The changes that remove our hook; nothing is written."""
    file = _config(agent)
    before = _text(file)
    if agent.name == "hermes":
        return [ConfigChange(file, before, _hermes_without(before, agent, library))]
    return [ConfigChange(file, before, json_hooks.without_hook(before, agent))]


def is_installed(agent: Agent) -> bool:
    text = _text(_config(agent))
    if agent.name != "hermes":
        return json_hooks.has_hook(text, agent)
    return bool(_ours(text, agent))


def apply(changes: list[ConfigChange]) -> list[Path]:
    """Write the changes, each file as a whole; returns the backups."""
    backups = []
    for change in changes:
        if not change.is_needed:
            continue
        path = change.path.resolve()  # follow links
        if _text(path) != change.before:
            raise ToolError(f"{path} has just changed", hint="try again")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                backups.append(_backup(path))
        except OSError as err:
            raise ToolError(f"cannot write in {path.parent}: {err.strerror}") from err
        replace_file(path, change.after.encode())
    return backups


def _backup(path: Path) -> Path:
    now = time.strftime("%Y%m%d-%H%M%S")
    copy = path.with_name(f"{path.name}.{now}.bak")
    number = 1
    while copy.exists():
        number += 1
        copy = path.with_name(f"{path.name}.{now}-{number}.bak")
    copy.write_bytes(path.read_bytes())
    copy.chmod(path.stat().st_mode & 0o7777)
    return copy


def layout(library: Library) -> Path:
    """The folder with a copy of the library's skills that Hermes reads.

    Not in the git directory: Hermes skips folders named `.git`.
    """
    source = str(library.repository().common_dir.resolve())
    name = hashlib.sha256(os.fsencode(source)).hexdigest()[:12]
    return cache_folder() / "hermes" / name / "skills"


def lay_out(library: Library, key: str) -> folder_sync.SyncResult:
    """Update the layout to the versions that a key gets; only we write there."""
    folder = layout(library)
    for skill in _laid_out(folder):
        materialize.make_writable(skill)
    try:
        done = folder_sync.sync(library, key, folder)
    finally:
        for skill in _laid_out(folder):
            materialize.make_read_only(skill)
    assignment.remember(library, done.assigned, key)
    return done


def _laid_out(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [p for p in folder.iterdir() if p.is_dir() and not p.is_symlink()]


def _config(agent: Agent) -> Path:
    return skills_folder(agent.home).parent / agent.file


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as err:
        why = f"cannot be read: {err}"
        raise hooks.cannot_change(str(path), why, "add it") from err


def _hook_place(agent: Agent) -> yaml_hooks.ListPath:
    return yaml_hooks.ListPath(agent.file, "hooks", agent.event)


def _layout_place(agent: Agent) -> yaml_hooks.ListPath:
    return yaml_hooks.ListPath(agent.file, "skills", "external_dirs")


def _ours(text: str, agent: Agent) -> list[int]:
    return [
        at
        for at, item in enumerate(yaml_hooks.items(text, _hook_place(agent)))
        if isinstance(item, dict) and hooks.is_ours(item.get("command"), agent.name)
    ]


def _hermes_with(
    text: str, agent: Agent, library: Library, line: str, extras: Extras
) -> str:
    entry = {"command": line, "timeout": hooks.SECONDS}
    entries = yaml_hooks.items(text, _hook_place(agent))
    if [entries[at] for at in _ours(text, agent)] != [entry]:
        text = _without_hook(text, agent)
        text = yaml_hooks.with_item(text, _hook_place(agent), entry)
    place, folder = _layout_place(agent), str(layout(library))
    if extras.layout and folder not in yaml_hooks.items(text, place):
        text = yaml_hooks.with_item(text, place, folder)
    return text


def _without_hook(text: str, agent: Agent) -> str:
    for at in reversed(_ours(text, agent)):
        text = yaml_hooks.without_item(text, _hook_place(agent), at)
    return text


def _hermes_without(text: str, agent: Agent, library: Library) -> str:
    text = _without_hook(text, agent)
    place, folder = _layout_place(agent), str(layout(library))
    folders = yaml_hooks.items(text, place)
    for at in reversed([at for at, item in enumerate(folders) if item == folder]):
        text = yaml_hooks.without_item(text, place, at)
    return text


def _github(library: Library) -> str:
    """The `owner/name` that Hermes calls a tap."""
    from skillforge.gitrepo import remote

    match = _GITHUB.fullmatch(remote.origin(library.repository())[1])
    if match is None:
        raise RequestError(
            "this library is not on github.com, so Hermes can't tap it",
            hint="omit --tap; --layout gives Hermes the skills of this clone",
        )
    return match[1]


class HookCall(NamedTuple):
    """The arguments of a call: the session that ended, and its transcript."""

    session: str = ""
    transcript: str = ""

    @classmethod
    def of(cls, text: str) -> "HookCall":
        """The call in an agent's JSON; values that are not valid are ignored."""
        try:
            message = json.loads(text or "{}")
        except (ValueError, RecursionError):
            message = {}
        message = message if isinstance(message, dict) else {}
        session, path = message.get("session_id"), message.get("transcript_path")
        is_session = isinstance(session, str) and _SESSION.fullmatch(session)
        return cls(
            str(session) if is_session else "", path if isinstance(path, str) else ""
        )


def see_to(agent: Agent, library: Library, call: HookCall) -> hook_log.Entry:
    """Capture a session if it is due; the outcome is logged for `hook status`."""
    try:
        outcome = _captured(agent, library, call)
    except SkillforgeError as err:
        outcome = {"error": err.message}
    entry = hook_log.entry(agent.name, call.session, **outcome)
    hook_log.append(entry, library.repository().common_dir)
    return entry


def _captured(agent: Agent, library: Library, call: HookCall) -> dict[str, Any]:
    with _transcript(agent, library, call) as path:
        nudged = capture_trigger.review(library, f"{agent.name}:{call.session}", path)
    if agent.name == "hermes" and layout(library).exists():
        lay_out(library, os.environ.get("SKILLFORGE_KEY") or "hermes")
    count = None if nudged.done is None else len(nudged.done.kept)
    return {"calls": nudged.calls, "since": nudged.since, "kept": count}


def last_outcome(library: Library) -> hook_log.Entry | None:
    """The outcome of the last `hook run`."""
    last = hook_log.last(library.repository().common_dir)
    return last[0] if last else None


@contextmanager
def _transcript(agent: Agent, library: Library, call: HookCall) -> Iterator[Path]:
    """The transcript of a session; Hermes has it in a database."""
    if call.transcript:
        yield Path(call.transcript).expanduser()
        return
    if not call.session:
        raise RequestError(f"{agent.name} sent no session")
    home = skills_folder(agent.home).parent
    if files := sorted(home.glob(f"sessions/**/*{call.session}*.json*")):
        yield files[-1]
        return
    if agent.name != "hermes":
        raise RequestError(f"no transcript found for session {call.session}")
    folder = library.repository().common_dir / "skillforge"
    file = folder / f"hermes-{os.getpid()}.jsonl"
    try:
        _export(call.session, file)
        yield file
    finally:
        file.unlink(missing_ok=True)


def _export(session: str, file: Path) -> None:
    """Have Hermes write a session to a file that only its owner can read."""
    file.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    line = ["hermes", "sessions", "export", str(file), "--session-id", session]
    done = processes.run(line)
    if done.code or not file.stat().st_size:
        raise ToolError(f"hermes could not export session {session}: {done.complaint}")
