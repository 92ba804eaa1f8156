"""Keep git from running programs that a repository's own configuration names.

Git runs the filters and merge drivers of `.git/config` when it checks out, compares or
merges files, and the programs for signatures when it signs. A repository may come from
a stranger, together with its configuration, so only programs that the user configured
for all repositories are run.
"""

import os
import re
from typing import TYPE_CHECKING

from skillforge import processes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_SUSPECT = re.compile(rb"filter|merge|gpg|include", re.IGNORECASE)
_KEYS = (
    r"^(filter\..*\.(clean|smudge|process|required)|merge\..*\.driver"
    r"|gpg\.((.*\.)?program|ssh\.defaultkeycommand))$"
)
_OWN_SCOPES = ("local", "worktree")
# An empty filter does nothing; a merge driver that fails leaves a conflict. For
# signatures, git's default programs.
_HARMLESS = {
    "driver": "false",
    "required": "false",
    "gpg.program": "gpg",
    "gpg.openpgp.program": "gpg",
    "gpg.x509.program": "gpgsm",
    "gpg.ssh.program": "ssh-keygen",
}


def overrides(root: "Path", env: "Mapping[str, str]") -> dict[str, str]:
    """Variables that keep git from running programs of the repository's config."""
    if not any(_SUSPECT.search(text) for text in _configurations(str(root))):
        return {}
    question = ("config", "--show-scope", "--null", "--get-regexp", _KEYS)
    done = processes.run(["git", *question], cwd=root, env=dict(env))
    words = done.out.split(b"\0")
    own: dict[str, None] = {}
    others: dict[str, str] = {}
    for scope, item in zip(words[::2], words[1::2], strict=False):
        key, _, value = (os.fsdecode(part) for part in item.partition(b"\n"))
        if scope.decode() in _OWN_SCOPES:
            own[key] = None
        else:
            others[key] = value
    harmless = {
        key: _HARMLESS.get(key) or _HARMLESS.get(key.rpartition(".")[2], "")
        for key in own
    }
    users = {key: value for key, value in others.items() if key in own}
    return config_variables((harmless | users).items(), env)


def config_variables(
    settings: "Iterable[tuple[str, str]]", env: "Mapping[str, str]"
) -> dict[str, str]:
    """Settings as environment variables, which override every configuration file."""
    settings = list(settings)
    start = int(env.get("GIT_CONFIG_COUNT") or 0)
    variables = {"GIT_CONFIG_COUNT": str(start + len(settings))}
    for number, (key, value) in enumerate(settings, start):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


def _configurations(root: str) -> "Iterator[bytes]":
    """The content of a repository's own configuration files."""
    for folder in _git_dirs(root):
        for name in ("config", "config.worktree"):
            try:
                with open(f"{folder}/{name}", "rb") as file:
                    yield file.read()
            except OSError:
                continue


def _git_dirs(root: str) -> "Iterator[str]":
    dot_git = f"{root}/.git"
    if not os.path.isfile(dot_git):
        yield dot_git if os.path.isdir(dot_git) else root
        return
    with open(dot_git, encoding="utf-8", errors="surrogateescape") as file:
        own = os.path.join(root, file.read().removeprefix("gitdir:").strip())
    yield own
    try:
        with open(f"{own}/commondir", encoding="utf-8") as file:
            yield os.path.join(own, file.read().strip())
    except OSError:
        return
