"""Where a release can be published: a folder, a branch, GitHub, ClawHub, and plugins.

A target is a function from a `PublishRequest` to a `Publication`. Other packages
register theirs as entry points in the group `skillforge.publish_targets`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from skillforge.errors import RequestError
from skillforge.gitrepo.ref_update import Signature
from skillforge.library import Library
from skillforge.plugins import load, plugins
from skillforge.report import plural
from skillforge.share.hub import Hub

GROUP = "skillforge.publish_targets"


@dataclass(frozen=True, slots=True)
class PublishRequest:
    """A hub that was built, and the options of `skillforge publish`.

    `address` is the part of `--to NAME:ADDRESS` after the colon. `identity` returns the
    user who publishes; it raises an error if git doesn't know one.
    """

    library: Library
    hub: Hub
    folder: Path
    address: str
    identity: Callable[[], Signature]
    push: bool = False
    is_confirmed: bool = False
    host: str = ""


@dataclass(frozen=True, slots=True)
class Publication:
    """What a target did: a summary for people, and keys for the `data` of `--json`."""

    summary: str
    data: Mapping[str, Any] = field(default_factory=dict)


class PublishTarget(Protocol):
    """Publishes a hub. It must be safe to repeat, and never replace a version."""

    def __call__(self, request: PublishRequest, /) -> Publication:
        """Publish; an error of `skillforge.errors` says why that is impossible."""


def find(where: str) -> tuple[PublishTarget, str]:
    """The target and the address that `--to` names; anything else is a folder."""
    name, colon, address = where.partition(":")
    if name in _OWN:
        return _OWN[name], address
    if name in plugins(GROUP):
        target: PublishTarget = load(GROUP, name)
        return target, address
    if colon and "/" not in name:
        known = ", ".join(names())
        raise RequestError(
            f"unknown publish target: {name!r}",
            hint=f"use {known}, or a folder (as in ./{where})",
        )
    return publish_to_folder, where


def names() -> list[str]:
    """The names of all targets, our own first."""
    return list(dict.fromkeys([*_OWN, *plugins(GROUP)]))


def publish_to_folder(request: PublishRequest) -> Publication:
    """Replace a folder with the hub."""
    from skillforge.share import atomic_folder, hub_build, hub_layout

    hub, out = request.hub, Path(request.address)
    created = atomic_folder.publish(hub, request.folder, out)
    digest = hub_build.digest(out)
    data = {
        "path": str(out),
        "skills": len(hub.skills),
        "digest": digest,
        "findings": [],
        "created": created,
    }
    verb = "published" if created else "already published"
    count = plural(len(hub.skills), "skill")
    summary = f"{verb} {hub.tag} to {out}: {count}\n    {hub_layout.SUMS} {digest}"
    return Publication(summary, data)


def _publish_to_branch(request: PublishRequest) -> Publication:
    from skillforge.gitrepo import remote
    from skillforge.share import branch_target

    repo, name = request.library.repository(), request.address
    if not name:
        raise RequestError(
            "the target branch needs a name", hint="--to branch:gh-pages"
        )
    if name == request.library.main:
        raise RequestError(
            f"{name} is the library's branch; a hub needs its own",
            hint="--to branch:gh-pages",
        )
    origin = remote.Remote(remote.origin(repo)[0]) if request.push else None
    if origin is not None and not origin.where:
        raise RequestError("no remote to push to", hint="git remote add origin URL")
    target = branch_target.BranchTarget(name, request.identity(), origin)
    done = branch_target.publish(repo, request.hub, request.folder, target)
    verb = "published" if done.created else "already published"
    summary = f"{verb} {request.hub.tag} to branch {name} (commit {done.commit[:12]})"
    if origin is not None:
        summary += f" and pushed it to {origin.where}"
    else:
        summary += f"\nnext: git push origin {name}, or publish with --push"
    data = {
        "branch": name,
        "branch_commit": done.commit,
        "created": done.created,
        "pushed": request.push,
    }
    return Publication(summary, data)


def _publish_to_github(request: PublishRequest) -> Publication:
    from skillforge.forge import github_address
    from skillforge.forge.github_clone import GitHubClone
    from skillforge.gitrepo import remote, tags
    from skillforge.share import github_release

    _refuse_address("github", request.address)
    repo, hub = request.library.repository(), request.hub
    origin, url = remote.origin(repo)
    address = github_address.find(url, request.host)
    if address is None:
        raise RequestError(
            f"the remote {remote.without_passwords(url)} is not a repository on GitHub"
            if url
            else "this clone has no remote called origin",
            hint="git remote add origin https://github.com/OWNER/NAME",
        )
    clone = GitHubClone(
        repo, address, request.library.main, origin=origin, is_named=bool(request.host)
    )
    tag = tags.find(repo, hub.tag)
    assert tag is not None
    files = github_release.assets(hub, request.folder)
    done = github_release.publish(clone.api, hub, tag, files)
    verb = "published" if done.created else "already published"
    present = len(files) - len(done.sent)
    counts = f"{plural(len(done.sent), 'file')} uploaded, {present} already present"
    data = {"url": done.url, "created": done.created, "sent": list(done.sent)}
    return Publication(f"{verb} {hub.tag}: {done.url}\n    {counts}", data)


def _publish_to_clawhub(request: PublishRequest) -> Publication:
    from skillforge.share import clawhub

    _refuse_address("clawhub", request.address)
    done = list(clawhub.publish(request.hub, dry_run=not request.is_confirmed))
    lines = [f"{skill.skill} {skill.version}: {skill.status}" for skill in done]
    if not request.is_confirmed:
        lines.append("dry run: nothing was published")
        lines.append("next: publish with --yes, under the license MIT-0")
    data = {
        "skills": [skill._asdict() for skill in done],
        "dry_run": not request.is_confirmed,
    }
    return Publication("\n".join(lines), data)


def _refuse_address(name: str, address: str) -> None:
    if address:
        raise RequestError(f"{name} takes no address", hint=f"use --to {name}")


_OWN: dict[str, PublishTarget] = {
    "branch": _publish_to_branch,
    "github": _publish_to_github,
    "clawhub": _publish_to_clawhub,
}
