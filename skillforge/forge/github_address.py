"""Find a repository on GitHub by the URL of a remote, and a token for it."""

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
    """A repository on GitHub: the URL of the host, the owner and the name."""

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
        """Whether a URL is a page of this repository."""
        return re.fullmatch(rf"{re.escape(str(self))}/[\w/-]+", url, re.I) is not None


def find(url: str, host: str = "") -> GitHubRepository | None:
    """The repository of a remote's URL; `host` replaces the host in it."""
    try:
        return _find(url, host)
    except ValueError:  # an invalid port or address
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
    """`--host` as a URL; a bare name means HTTPS."""
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
            f"{host!r} is not a host", hint="--host github.example.com, or its https://"
        )
    return web


def is_github(place: GitHubRepository) -> bool:
    """Whether a host is known to be GitHub, by its name or by the environment."""
    host = place.host
    is_named = host == PUBLIC or host.endswith(".ghe.com") or host.startswith("github.")
    return is_named or host in _named_hosts()


def _named_hosts() -> set[str]:
    """Hosts that the environment names, as GitHub's own tools do."""
    hosts = (os.environ.get(name, "") for name in ("GH_HOST", "GITHUB_SERVER_URL"))
    return {urlsplit(_web(host)).netloc for host in hosts if host}


def find_token(place: GitHubRepository, *, is_named: bool) -> str:
    """The token for a repository, from the environment or from `gh`.

    A token from the environment is only sent to GitHub's own hosts and to a host that
    the user named, never to one that only the repository's configuration names.
    """
    parts = urlsplit(place.web)
    if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
        raise RequestError(
            f"{place.web} would transmit the token unencrypted", hint="use https://"
        )
    is_public = place.host == PUBLIC or place.host.endswith(".ghe.com")
    is_trusted = is_named or place.host in _named_hosts()
    names = (*_ENTERPRISE_TOKENS, *_TOKENS) if is_trusted else ()
    for name in _TOKENS if is_public else names:
        if token := os.environ.get(name, "").strip():
            return _valid_token(token, name)
    if token := _gh_token(place.host):
        return token
    how = f"gh auth login --hostname {place.host}"
    may_set = is_public or is_trusted
    how += ", or set GITHUB_TOKEN" if may_set else ", or name it: --host, and GH_TOKEN"
    raise ToolError(
        f"no token for {place.host}",
        hint=f"{how}; to work without GitHub: --forge local",
    )


def _valid_token(token: str, name: str) -> str:
    if not re.fullmatch(r"[!-~]+", token):
        raise ToolError(f"${name} is not a valid token", hint=f"unset {name}")
    return token


def _gh_token(host: str) -> str:
    if shutil.which("gh") is None:
        return ""
    done = processes.run(["gh", "auth", "token", "--hostname", host])
    return done.out.decode("utf-8", "replace").strip() if done.code == 0 else ""
