"""The kinds of forges, and which one a library uses.

A kind is a module with `NAME`, `recognises`, `suggestion` and `connect`. Other packages
register theirs as entry points in the group `skillforge.forges`.
"""

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from importlib import import_module
from typing import Any, NamedTuple, Protocol, cast

from skillforge.errors import RequestError
from skillforge.forge import Forge, HostedForge
from skillforge.gitrepo import GitRepo, remote
from skillforge.plugins import failures, load, plugins, unsuitable

GROUP = "skillforge.forges"
LOCAL = "local"
_OWN = {LOCAL: "skillforge.forge.local", "github": "skillforge.forge.github"}


class ForgeChoice(NamedTuple):
    """The options --forge and --host; empty if not given.

    `needs_hosted` asks for a forge that others share, also if the policy says `local`.
    """

    kind: str = ""
    host: str = ""
    needs_hosted: bool = False


class Clone(NamedTuple):
    """A clone that needs a forge: its main branch, and the remote it came from.

    Without a remote, `remote` and `url` are empty. `notice` is shown to the user.
    """

    repo: GitRepo
    main: str
    remote: str = ""
    url: str = ""
    host: str = ""
    notice: str = ""


class ForgeKind(Protocol):
    """A kind of forge; a module is one."""

    NAME: str
    """What `--forge` and the policy call it."""

    def recognises(self, url: str, host: str, /) -> bool:
        """Whether a remote is certainly of this kind; `host` is what --host names."""

    def suggestion(self, url: str, /) -> str:
        """What to tell users if the remote may be of this kind; empty if it is not."""

    def connect(self, clone: Clone, /) -> Forge | None:
        """The forge of a clone, without using the network; None if it can't be one."""


class _PluginKind:
    """The kind of another package, under the name of its entry point.

    Its errors become ours: proposals never go elsewhere by accident.
    """

    def __init__(self, name: str) -> None:
        self.NAME = name
        self._kind: ForgeKind = load(GROUP, name)
        for part in ("recognises", "suggestion", "connect"):
            if not callable(getattr(self._kind, part, None)):
                raise unsuitable(GROUP, name, f"has no function {part!r}")

    def recognises(self, url: str, host: str, /) -> bool:
        with failures(GROUP, self.NAME):
            return bool(self._kind.recognises(url, host))

    def suggestion(self, url: str, /) -> str:
        with failures(GROUP, self.NAME):
            return str(self._kind.suggestion(url) or "")

    def connect(self, clone: Clone, /) -> Forge | None:
        with failures(GROUP, self.NAME):
            forge = self._kind.connect(clone)
            is_forge = forge is None or isinstance(forge, Forge)
        if not is_forge:
            wrong = type(forge).__name__
            raise unsuitable(GROUP, self.NAME, f"returned a {wrong}, not a Forge")
        if forge is not None:
            _guard(self.NAME, forge)
        return forge


def _guard(name: str, forge: Forge) -> None:
    """Make what the methods of a plugin's forge raise an error of ours."""
    for attribute in dir(HostedForge):
        method = getattr(forge, attribute, None)
        if not attribute.startswith("_") and inspect.ismethod(method):
            setattr(forge, attribute, _guarded(name, method))


def _guarded(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(*arguments: Any, **options: Any) -> Any:
        with failures(GROUP, name):
            return method(*arguments, **options)

    return call


def forge_names() -> list[str]:
    """The names of all kinds of forges, our own first."""
    return [*_OWN, *(name for name in plugins(GROUP) if name not in _OWN)]


def choose(repo: GitRepo, main: str, choice: ForgeChoice, policy: str) -> Forge:
    """The forge of a clone, by the options, its policy or its remote.

    The network is not used.
    """
    name = choice.kind or ("" if choice.host else policy)
    name = "" if choice.needs_hosted and name == LOCAL else name
    clone = _clone(repo, main, choice.host, name)
    if name:
        return _connect(_kind(name), clone)
    suggestion = ""
    for kind in _hosted_kinds() if clone.url else ():
        if kind.recognises(clone.url, clone.host):
            return _connect(kind, clone)
        suggestion = suggestion or kind.suggestion(clone.url)
    if choice.host or choice.needs_hosted:
        return _connect(next(_hosted_kinds()), clone)
    return _connect(_kind(LOCAL), clone._replace(notice=suggestion))


def hosted(forge: Forge) -> HostedForge:
    """The same forge, which must not be local, with all that a hosted one can do."""
    if forge.is_local:
        raise RequestError(
            "this library's proposals are in this repository, not on a shared forge",
            hint="add a remote: git remote add origin URL; see skillforge doctor",
        )
    return cast("HostedForge", forge)


def _clone(repo: GitRepo, main: str, host: str, name: str) -> Clone:
    origin = ("", "") if name == LOCAL else remote.origin(repo)
    return Clone(repo, main, *origin, host)


def _connect(kind: ForgeKind, clone: Clone) -> Forge:
    if forge := kind.connect(clone):
        return forge
    raise RequestError(
        f"{remote.without_passwords(clone.url)} is not a repository on {kind.NAME}"
        if clone.url
        else "this clone has no remote called origin",
        hint="git remote add origin URL, or --forge local",
    )


def _kind(name: str) -> ForgeKind:
    if name in _OWN:
        return cast("ForgeKind", import_module(_OWN[name]))
    if name in plugins(GROUP):
        return _PluginKind(name)
    raise RequestError(
        f"unknown forge: {name!r}", hint=f"known forges: {', '.join(forge_names())}"
    )


def _hosted_kinds() -> Iterator[ForgeKind]:
    """The kinds that a remote can be of; those of other packages are loaded last."""
    return (_kind(name) for name in forge_names() if name != LOCAL)
