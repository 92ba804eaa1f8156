"""Publish a GitHub release with the hub's artefacts.

It is a draft until all files are uploaded. Then it is marked latest, since clients
install the latest release.
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from skillforge.errors import ConflictError
from skillforge.forge.github_api import GitHubApi, NotFoundError, RejectedError, sense
from skillforge.gitrepo.tags import Tag
from skillforge.share import hub_formats, hub_layout, semver
from skillforge.share.hub import Hub

Json = dict[str, Any]
_MOST_ASSETS = 1000  # of a release, by GitHub's limit
_LONGEST = 120_000  # characters of notes


class PublishedRelease(NamedTuple):
    """The page of a release, whether it is new, and the files that were uploaded."""

    url: str
    created: bool
    sent: tuple[str, ...]


def assets(hub: Hub, built: Path) -> dict[str, bytes]:
    """The files of a release by name, without packages or archives beyond the limit."""
    files = {
        name: (built / name).read_bytes()
        for name in (hub_layout.MANIFEST, hub_layout.PROVENANCE)
    }
    names = [skill.name for skill in hub_formats.installable(hub)]
    for path_of in (hub_layout.package_of, hub_layout.archive_of):
        if len(files) + len(names) < _MOST_ASSETS:
            paths = (path_of(name) for name in names)
            files |= {p.rpartition("/")[2]: (built / p).read_bytes() for p in paths}
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    return files | {hub_layout.SUMS: hub_formats.sums(digests)}


def publish(
    wire: GitHubApi, hub: Hub, tag: Tag, files: Mapping[str, bytes]
) -> PublishedRelease:
    """Create a release, or complete one.

    Safe to repeat: existing files are compared, not uploaded again. A file with other
    content is an error.
    """
    _refuse_other_tag(wire, tag)
    existing = _find(wire, tag.name)
    is_published = existing is not None and not existing["draft"]
    release = _draft(wire, hub) if existing is None else existing
    with sense("releases"):
        sent = tuple(_complete(wire, release, files))
        done = _finish(wire, release, hub.tag)
        return PublishedRelease(str(done["html_url"]), not is_published, sent)


def _refuse_other_tag(wire: GitHubApi, tag: Tag) -> None:
    """GitHub would create a tag that it doesn't have."""
    path = f"{wire.place.path}/git/ref/tags/{quote(tag.name)}"
    try:
        answer = wire.get(path)
    except NotFoundError as err:
        raise ConflictError(
            f"{wire.place} has no tag {tag.name} yet",
            hint=f"git push origin {tag.name}",
        ) from err
    with sense(path):
        remote_object = answer["object"]["sha"]
    if remote_object != tag.object:
        raise ConflictError(
            f"{tag.name} on {wire.place} differs from the local tag",
            hint=f"compare them with git ls-remote origin {tag.name}",
        )


def _find(wire: GitHubApi, tag: str) -> Json | None:
    """The release of a tag, or its draft."""
    path = f"{wire.place.path}/releases"
    try:
        release: Json = wire.get(f"{path}/tags/{quote(tag)}")
    except NotFoundError:
        return next((r for r in wire.pages(path) if r["tag_name"] == tag), None)
    return release


def _draft(wire: GitHubApi, hub: Hub) -> Json:
    version = semver.read(hub.tag)
    body = {
        "tag_name": hub.tag,
        "name": hub.tag,
        "body": hub.notes[:_LONGEST],
        "draft": True,
        "prerelease": bool(version.pre),
    }
    path = f"{wire.place.path}/releases"
    draft: Json = wire.once("POST", path, body, lambda: _find(wire, hub.tag))
    return draft


def _complete(
    wire: GitHubApi, release: Json, files: Mapping[str, bytes]
) -> Iterator[str]:
    """Upload the missing files of a release; yields their names."""
    path = f"{wire.place.path}/releases/{release['id']}/assets"
    existing = {asset["name"]: asset for asset in wire.pages(path)}
    for name, data in files.items():
        asset = existing.get(name)
        if asset is not None and asset["state"] == "uploaded":
            _refuse_other_content(release, asset, data)
            continue
        if asset is not None:  # an upload that was interrupted
            wire.put("DELETE", f"{wire.place.path}/releases/assets/{asset['id']}")
        url = str(release["upload_url"]).partition("{")[0]
        wire.upload(url, name, data, lambda name=name: _uploaded(wire, path, name))  # type: ignore[misc]
        yield name


def _uploaded(wire: GitHubApi, path: str, name: str) -> Json | None:
    """A file of a release, if its upload is complete."""
    same = (asset for asset in wire.pages(path) if asset["name"] == name)
    return next((asset for asset in same if asset["state"] == "uploaded"), None)


def _refuse_other_content(release: Json, asset: Json, data: bytes) -> None:
    """An error if a file differs, by its digest, or by its size if GitHub has none."""
    digest = asset.get("digest")
    mine = f"sha256:{hashlib.sha256(data).hexdigest()}"
    is_same = digest == mine if digest else asset["size"] == len(data)
    if not is_same:
        raise ConflictError(
            f"the release {release['tag_name']} has a file {asset['name']} with other "
            "content",
            hint="a published version can't change; skillforge release creates the "
            "next one",
        )


def _finish(wire: GitHubApi, release: Json, tag: str) -> Json:
    """Publish a draft, and mark it latest unless a later release exists."""
    path = f"{wire.place.path}/releases"
    version = semver.read(tag)
    latest = _latest(wire)
    is_latest = not version.pre and (latest is None or version.rank >= latest.rank)
    is_marked = latest == version or not is_latest
    if not release["draft"] and is_marked:
        return release
    body = {"draft": False, "make_latest": "true" if is_latest else "false"}
    done: Json = wire.put("PATCH", f"{path}/{release['id']}", body)
    return done


def _latest(wire: GitHubApi) -> semver.SemVer | None:
    """The version that GitHub marks latest."""
    try:
        answer = wire.get(f"{wire.place.path}/releases/latest")
    except (NotFoundError, RejectedError):
        return None
    return semver.find(str(answer["tag_name"]))
