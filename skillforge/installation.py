"""How this copy of Skillforge was installed, and how to start or reinstall it.

Git-skillforge is on no package index, so its name alone can't be installed. But pip
records where a copy came from (PEP 610).
"""

import os
import shlex
import sys
from functools import cache
from typing import Any

_NAME = "git-skillforge"


def program() -> list[str]:
    """The command line that starts this copy, from any folder."""
    script = os.path.join(os.path.dirname(sys.executable), "skillforge")
    if os.path.isfile(script):
        return [script]
    # -P: import nothing from the current folder, which may be untrusted.
    return [sys.executable, "-P", "-m", "skillforge"]


def install_command(extras: str = "") -> str:
    """The command that installs this copy again, with extras such as `sandbox`."""
    source = _origin()
    installer, installed_extras = _installer()
    names = sorted({*installed_extras, *extras.split(",")} - {""})
    extra = f"[{','.join(names)}]" if names else ""
    if folder := _folder(source):
        target = f"{folder}{extra}"
    elif url := _url(source):
        target = f"{_NAME}{extra} @ {url}"
    else:
        return f"install {_NAME}{extra} as its README shows"
    option = "-e " if source.get("dir_info", {}).get("editable") else ""
    return f"{installer} {option}{shlex.quote(target)}"


def requirement(extras: str) -> str:
    """A line for requirements.txt that installs this copy on any machine.

    Empty if only this machine can: it came from a folder, or from an unknown source.
    """
    url = _url(_origin())
    is_public = url.startswith(("git+https://", "https://"))
    return f"{_NAME}[{extras}] @ {url}" if is_public else ""


@cache
def _origin() -> dict[str, Any]:
    """Pip's record of where this copy came from; empty if there is none."""
    import json
    from importlib import metadata

    try:
        recorded = metadata.distribution(_NAME).read_text("direct_url.json")
        origin = json.loads(recorded or "{}")
    except (metadata.PackageNotFoundError, OSError, ValueError):
        return {}
    return origin if isinstance(origin, dict) else {}


def _folder(source: dict[str, Any]) -> str:
    from urllib.parse import unquote, urlsplit

    address = urlsplit(str(source.get("url", "")))
    is_folder = "dir_info" in source and address.scheme == "file"
    return unquote(address.path) if is_folder else ""


def _url(source: dict[str, Any]) -> str:
    """The URL that installs exactly this copy: a commit, or an archive."""
    from urllib.parse import urlsplit

    url = str(source.get("url", ""))
    vcs = source.get("vcs_info", {})
    if urlsplit(url).password:
        return ""  # a password must not be printed or written
    if vcs:
        return f"{vcs.get('vcs')}+{url}@{vcs.get('commit_id')}"
    return url if "archive_info" in source else ""


def _installer() -> tuple[str, list[str]]:
    """The installer of this environment, and the extras that it would remove.

    `pip` may belong to another environment. `pipx install --force` drops extras.
    """
    from shutil import which

    recorded = os.path.join(sys.prefix, "pipx_metadata.json")
    if os.path.exists(recorded):
        return "pipx install --force", _pipx_extras(recorded)
    beside = os.path.join(os.path.dirname(sys.executable), "pip")
    pip = "pip" if which("pip") == beside else f"{shlex.quote(sys.executable)} -m pip"
    return f"{pip} install", []


def _pipx_extras(recorded: str) -> list[str]:
    """The extras in pipx's record, `/clone[sandbox]` or `name[sandbox] @ URL`."""
    import json
    import re

    try:
        with open(recorded, encoding="utf-8") as file:
            spec = str(json.load(file)["main_package"]["package_or_url"])
    except (OSError, ValueError, LookupError, TypeError):
        return []
    match = re.search(r"\[([\w,. -]+)\](?:$| @ )", spec)
    return [name.strip() for name in match[1].split(",")] if match else []
