"""Which repository of which GitHub, and the token that it is opened with."""

import os
import re
import shutil
from typing import NamedTuple
from urllib.parse import urlsplit

from skillforge import processes
from skillforge.errors import RequestError, ToolError

PUBLIC = "github.com"
_SCP = re.compile(r"(?:[^@/:]+@)?([^/:]+):(?!//)/?(.+)")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
_ENTERPRISE_TOKENS = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")


class GitHubRepository(NamedTuple):
    """A repository on a GitHub: where its pages are, who owns it, what it is called."""

    web: str
    owner: str
    name: str

    @property
    def host(self) -> str:
        return urlsplit(self.web).netloc

    @property
    def api(self) -> str:
        if self.host == PUBLIC:
            return f"https://api.{PUBLIC}"
        if self.host.endswith(".ghe.com"):
            return f"https://api.{self.host}"
        return f"{self.web}/api/v3"

    @property
    def path(self) -> str:
        return f"/repos/{self.owner}/{self.name}"

    def __str__(self) -> str:
        return f"{self.web}/{self.owner}/{self.name}"

    def has_page(self, url: str) -> bool:
        """Whether an address is one of its own pages, and nothing but that."""
        return re.fullmatch(rf"{re.escape(str(self))}/[\w/-]+", url, re.I) is not None


def find(url: str, host: str = "") -> GitHubRepository | None:
    """The place that a remote's URL names; `host` is that of another GitHub."""
    try:
        return _find(url, host)
    except ValueError:  # a port or an address that is none
        return None


def _find(url: str, host: str) -> GitHubRepository | None:
    is_url = "://" in url
    match = None if is_url else _SCP.fullmatch(url)
    if not is_url and match is None:
        return None
    parts = urlsplit(url if match is None else f"ssh://{match[1]}/{match[2]}")
    path = parts.path.strip("/").removesuffix(".git").split("/")
    if len(path) != 2 or not parts.hostname or not all(path):
        return None
    name = "github.com" if parts.hostname == "ssh.github.com" else parts.hostname
    web = f"https://{name}"
    if parts.scheme in ("http", "https"):
        web = f"{parts.scheme}://{name}" + (f":{parts.port}" if parts.port else "")
    return GitHubRepository(_web(host) if host else web, *path)


def _web(host: str) -> str:
    """`--host` as an address: a bare name is one of HTTPS."""
    is_loopback = host.partition(":")[0] in _LOOPBACK
    scheme = "http" if is_loopback else "https"
    web = (host if "://" in host else f"{scheme}://{host}").rstrip("/")
    try:
        parts = urlsplit(web)
        is_sound = parts.port != 0 and parts.hostname and not parts.path
        is_sound = is_sound and parts.scheme in ("http", "https")
    except ValueError:
        is_sound = False
    if not is_sound:
        raise RequestError(
            f"{host!r} is no host", hint="--host github.example.com, or its https://"
        )
    return web


def is_github(place: GitHubRepository) -> bool:
    """Whether a host is known to be a GitHub, by its name or by the user's word."""
    host = place.host
    is_named = host == PUBLIC or host.endswith(".ghe.com") or host.startswith("github.")
    return is_named or host in _named_hosts()


def _named_hosts() -> set[str]:
    """Hosts that the environment names, as GitHub's own tools do."""
    said = (os.environ.get(name, "") for name in ("GH_HOST", "GITHUB_SERVER_URL"))
    return {urlsplit(_web(host)).netloc for host in said if host}


def find_token(place: GitHubRepository, *, is_named: bool) -> str:
    """The token for a place, from the environment or from `gh`.

    None of the environment is shown to a host that only a repository's configuration
    names: it has to be GitHub's own, or one that the user named, by a way that is safe.
    """
    parts = urlsplit(place.web)
    if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
        raise RequestError(
            f"{place.web} would send the token in the clear", hint="use https://"
        )
    is_public = place.host == PUBLIC or place.host.endswith(".ghe.com")
    is_trusted = is_named or place.host in _named_hosts()
    names = (*_ENTERPRISE_TOKENS, *_TOKENS) if is_trusted else ()
    for name in _TOKENS if is_public else names:
        if found := os.environ.get(name, "").strip():
            return _sound(found, name)
    if found := _gh_token(place.host):
        return found
    how = f"gh auth login --hostname {place.host}"
    is_told = is_public or is_trusted
    how += ", or set GITHUB_TOKEN" if is_told else ", or name it: --host, and GH_TOKEN"
    raise ToolError(
        f"there is no token for {place.host}",
        hint=f"{how}; to work without GitHub: --forge local",
    )


def _sound(found: str, name: str) -> str:
    if not re.fullmatch(r"[!-~]+", found):
        raise ToolError(f"what ${name} holds is no token", hint=f"unset {name}")
    return found


def _gh_token(host: str) -> str:
    if shutil.which("gh") is None:
        return ""
    done = processes.run(["gh", "auth", "token", "--hostname", host])
    return done.out.decode("utf-8", "replace").strip() if done.code == 0 else ""
