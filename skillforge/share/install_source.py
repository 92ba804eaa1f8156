"""Sources of skills: a hub, an archive, a git repository or a folder."""

import os
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from skillforge.checks.path_policy import is_name
from skillforge.errors import RequestError
from skillforge.gitrepo import find_root
from skillforge.share.hub_layout import INDEXES

ARCHIVES = (".skill", ".zip", ".tar.gz", ".tgz")
_TAG = re.compile(r"(?!.*(?:\.\.|//|@\{|\.lock$|/$|\.$))[A-Za-z0-9][\w./+-]{0,199}")
_SCP = re.compile(r"[\w.-]+@[\w.-]+:(?!//)[^:]+")
_ON_GITHUB = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[\w-][\w.-]*(?<!\.git)")
_GIT_HOSTS = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class SourceKind(StrEnum):
    """Kinds of sources, as the lock names them."""

    HUB = "well-known"
    ARCHIVE = "archive"
    GIT = "git"
    FOLDER = "local"


@dataclass(frozen=True, slots=True)
class InstallSource:
    """A source; `tag` is a tag, branch or commit of a repository."""

    kind: SourceKind
    where: str
    tag: str = ""
    skill: str = ""

    @property
    def is_remote(self) -> bool:
        return is_url(self.where) or bool(_SCP.fullmatch(self.where))


def is_url(text: str) -> bool:
    return "://" in text


def is_loopback(host: str | None) -> bool:
    return (host or "").lower() in _LOOPBACK


def parse(text: str) -> InstallSource:
    """Parse `SOURCE[#TAG][@SKILL]`; the kind of a local path depends on its content."""
    if "\0" in text or not text.isprintable() or not text.strip():
        raise RequestError(f"{text!r} is not a source", hint=_HINT)
    where, tag, skill = _parts(text)
    if skill and not is_name(skill):
        raise RequestError(f"{skill!r} is not a valid skill name", hint=_HINT)
    if tag and not _TAG.fullmatch(tag):
        raise RequestError(f"{tag!r} is not a valid tag or branch", hint=_HINT)
    where = where.removeprefix("git+")
    if _ON_GITHUB.fullmatch(where) and not os.path.lexists(where):
        where = f"https://github.com/{where}.git"
    kind = _kind_of_url(where, tag) if is_url(where) else _kind_on_disk(where, tag)
    if text.startswith("git+"):
        kind = SourceKind.GIT
    if tag and kind is not SourceKind.GIT:
        raise RequestError(
            f"{where} is not a git repository, so it has no tags", hint="omit #TAG"
        )
    return InstallSource(kind, where, tag, skill)


_HINT = (
    "use a hub's URL or folder, a .skill, .zip or .tar.gz, OWNER/NAME on GitHub, or a "
    "git URL, as in https://example.org/skills.git#v1.0.0@csv-tables"
)


def _parts(text: str) -> tuple[str, str, str]:
    """The location, the tag and the skill; an existing path is a location."""
    if not is_url(text) and os.path.lexists(text):
        return text, "", ""
    where, has_tag, rest = text.partition("#")
    if has_tag:
        tag, _, skill = rest.partition("@")
        return where, tag, skill
    before, at, last = text.rpartition("@")
    is_skill = at and not re.search(r"[/:]", last) and before not in ("", "git")
    return (before, "", last) if is_skill else (text, "", "")


def _kind_of_url(where: str, tag: str) -> SourceKind:
    try:
        url = urlsplit(where)
        host = url.hostname
    except ValueError:
        raise RequestError(f"{where!r} is not a URL", hint=_HINT) from None
    if url.scheme in ("ssh", "file"):
        return SourceKind.GIT
    refuse_unsafe(where)
    is_git = url.path.endswith(".git") or host in _GIT_HOSTS or bool(tag)
    if is_git:
        return SourceKind.GIT
    return SourceKind.ARCHIVE if url.path.endswith(ARCHIVES) else SourceKind.HUB


def refuse_unsafe(url: str) -> None:
    """An error unless a URL is HTTPS, or HTTP to this machine, without a password."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise RequestError(f"{url[:200]!r} is not a URL", hint=_HINT) from None
    if parts.scheme == "http" and is_loopback(host):
        return
    if parts.scheme != "https" or not host:
        raise RequestError(
            f"{url[:200]} is not fetched: only https, and http from this machine",
            hint=_HINT,
        )
    if parts.username or parts.password:
        raise RequestError(
            f"a URL with a password is not fetched (host {host})",
            hint="use a git credential helper for passwords",
        )


def _kind_on_disk(where: str, tag: str) -> SourceKind:
    if _SCP.fullmatch(where) and not os.path.lexists(where):
        return SourceKind.GIT
    path = Path(where)
    if os.path.isfile(where):  # noqa: PTH113 - a long name is no error here
        if where.endswith(ARCHIVES):
            return SourceKind.ARCHIVE
        raise RequestError(f"{where} is not an archive of a skill", hint=_HINT)
    if not os.path.isdir(where):  # noqa: PTH112
        raise RequestError(f"no such file or folder: {where!r}", hint=_HINT)
    if not tag and any((path / index).is_file() for index in INDEXES):
        return SourceKind.HUB
    is_repository = find_root(path.absolute()) == path.absolute()
    return SourceKind.GIT if is_repository else SourceKind.FOLDER
