"""A release on GitHub, with what people download; marked latest, as clients look.

It is a draft until everything is there, so that nobody sees half of it.
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from skillforge.errors import ConflictError
from skillforge.forge.github_api import (
    GitHubApi,
    NotFoundError,
    RejectedError,
    parse_response,
)
from skillforge.gitrepo.tags import Tag
from skillforge.share import hub_formats, hub_layout, semver
from skillforge.share.hub import Hub

Json = dict[str, Any]
_MOST_ASSETS = 1000  # that GitHub takes
_LONGEST = 120_000  # characters of notes


class PublishedRelease(NamedTuple):
    """The page of a release, whether it was made now, and what was sent to it."""

    url: str
    created: bool
    sent: tuple[str, ...]


def assets(hub: Hub, made: Path) -> dict[str, bytes]:
    """What people download, by name: as much of it as one release can hold."""
    about = (hub_layout.MANIFEST, hub_layout.PROVENANCE)
    files = {name: (made / name).read_bytes() for name in about}
    names = [skill.name for skill in hub_formats.installable(hub)]
    for path_of in (hub_layout.package_of, hub_layout.archive_of):
        if len(files) + len(names) < _MOST_ASSETS:
            paths = (path_of(name) for name in names)
            files |= {p.rpartition("/")[2]: (made / p).read_bytes() for p in paths}
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    return files | {hub_layout.SUMS: hub_formats.sums(digests)}


def publish(
    wire: GitHubApi, hub: Hub, tag: Tag, files: Mapping[str, bytes]
) -> PublishedRelease:
    """Make the release, or what is missing of it.

    Safe to repeat: files that are there are compared, not sent again. One of the same
    name with other content stops it.
    """
    _refuse_other_tag(wire, tag)
    found = _find(wire, tag.name)
    is_published = found is not None and not found["draft"]
    release = found if found is not None else _draft(wire, hub)
    with parse_response("releases"):
        sent = tuple(_complete(wire, release, files))
        done = _finish(wire, release, hub.tag)
        return PublishedRelease(str(done["html_url"]), not is_published, sent)


def _refuse_other_tag(wire: GitHubApi, tag: Tag) -> None:
    """GitHub would make a tag of its own where it has none."""
    path = f"{wire.place.path}/git/ref/tags/{quote(tag.name)}"
    try:
        answer = wire.get(path)
    except NotFoundError as err:
        raise ConflictError(
            f"{wire.place} has no tag {tag.name} yet",
            hint=f"git push origin {tag.name}",
        ) from err
    with parse_response(path):
        there = answer["object"]["sha"]
    if there != tag.object:
        raise ConflictError(
            f"{tag.name} on {wire.place} is another tag than here",
            hint=f"git ls-remote origin {tag.name} shows it; a version is made once",
        )


def _find(wire: GitHubApi, tag: str) -> Json | None:
    """The release of a tag: the one that people see, else a draft of it."""
    path = f"{wire.place.path}/releases"
    try:
        found: Json = wire.get(f"{path}/tags/{quote(tag)}")
    except NotFoundError:
        drafts = (it for it in wire.pages(path) if it["tag_name"] == tag)
        return next(drafts, None)
    return found


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
    made: Json = wire.once("POST", path, body, lambda: _find(wire, hub.tag))
    return made


def _complete(
    wire: GitHubApi, release: Json, files: Mapping[str, bytes]
) -> Iterator[str]:
    """Send what a release lacks; the names of it."""
    path = f"{wire.place.path}/releases/{release['id']}/assets"
    there = {asset["name"]: asset for asset in wire.pages(path)}
    for name, data in files.items():
        asset = there.get(name)
        if asset is not None and asset["state"] == "uploaded":
            _refuse_other_content(release, asset, data)
            continue
        if asset is not None:  # somebody's try that ended half-way
            gone = f"{wire.place.path}/releases/assets/{asset['id']}"
            wire.put("DELETE", gone)
        url = str(release["upload_url"]).partition("{")[0]
        wire.upload(url, name, data, lambda name=name: _whole(wire, path, name))  # type: ignore[misc]
        yield name


def _whole(wire: GitHubApi, path: str, name: str) -> Json | None:
    """A file of a release, if all of it is there."""
    same = (asset for asset in wire.pages(path) if asset["name"] == name)
    return next((it for it in same if it["state"] == "uploaded"), None)


def _refuse_other_content(release: Json, asset: Json, data: bytes) -> None:
    """GitHub tells the digest of a file; one that does not yet, at least the size."""
    digest = asset.get("digest")
    mine = f"sha256:{hashlib.sha256(data).hexdigest()}"
    is_same = digest == mine if digest else asset["size"] == len(data)
    if not is_same:
        raise ConflictError(
            f"the release {release['tag_name']} has a file {asset['name']} with other "
            "content",
            hint="a version is published once: skillforge release makes the next one",
        )


def _finish(wire: GitHubApi, release: Json, tag: str) -> Json:
    """Show it to everybody, and as the latest if no later one is there."""
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
    """The version that clients get who ask for none."""
    try:
        answer = wire.get(f"{wire.place.path}/releases/latest")
    except (NotFoundError, RejectedError):
        return None
    return semver.find(str(answer["tag_name"]))
