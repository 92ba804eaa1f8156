"""Endpoints of releases, their files, and the tags that they are of."""

import hashlib
from typing import Any

from tests.github.hub.routes import Answer, Call, not_found, route
from tests.github.hub.server import UPLOADS
from tests.github.hub.shapes import user_json
from tests.github.hub.state import Asset, RefusedError, Release, Repo, now

Json = dict[str, Any]


@route("GET", "{R}/git/ref/tags/{path}")
def show_tag(call: Call) -> Answer:
    name = call.args["path"]
    line = ("for-each-ref", "--format=%(objectname) %(objecttype)", f"refs/tags/{name}")
    found = call.repo.git(*line).split()
    if not found:
        raise not_found()
    sha, kind = found
    api = f"{call.hub.api}/repos/{call.repo.full_name}/git"
    body = {
        "ref": f"refs/tags/{name}",
        "node_id": "REF_" + sha[:12],
        "url": f"{api}/refs/tags/{name}",
        "object": {"type": kind, "sha": sha, "url": f"{api}/{kind}s/{sha}"},
    }
    return Answer(200, body)


@route("GET", "{R}/releases")
def list_releases(call: Call) -> Answer:
    """Drafts are for those who may push."""
    visible = [
        release
        for release in call.repo.releases
        if not release.draft or _may_push(call)
    ]
    return call.paged(
        [release_json(call.repo, release) for release in reversed(visible)]
    )


def _may_push(call: Call) -> bool:
    return call.repo.allows(call.by, "write")


@route("POST", "{R}/releases")
def create_release(call: Call) -> Answer:
    call.need("write")
    given = call.fields
    tag = given.get("tag_name")
    if not tag:
        raise _invalid("Release", "missing_field", "tag_name")
    is_draft = bool(given.get("draft"))
    published = [other for other in call.repo.releases if not other.draft]
    if not is_draft and any(other.tag == tag for other in published):
        raise _invalid("Release", "already_exists", "tag_name")
    release = Release(call.hub.next_id(), tag, call.by, given.get("name"))
    release.body = given.get("body")
    release.prerelease = bool(given.get("prerelease"))
    call.repo.releases.append(release)
    if not is_draft:
        _publish(call.repo, release, given.get("make_latest", "true"))
    return Answer(201, release_json(call.repo, release))


@route("PATCH", "{R}/releases/{id}")
def change_release(call: Call) -> Answer:
    call.need("write")
    release, given = _release(call), call.fields
    release.name = given.get("name", release.name)
    release.body = given.get("body", release.body)
    release.prerelease = given.get("prerelease", release.prerelease)
    if not given.get("draft", release.draft):
        _publish(call.repo, release, given.get("make_latest", "true"))
    return Answer(200, release_json(call.repo, release))


def _publish(repo: Repo, release: Release, make_latest: str) -> None:
    if not repo.git("tag", "--list", release.tag):
        repo.git("tag", release.tag, "main")  # as GitHub does, of the default branch
    release.draft = False
    release.published = release.published or now()
    if make_latest == "true" and not release.prerelease:
        repo.latest = release


@route("GET", "{R}/releases/latest")
def latest_release(call: Call) -> Answer:
    if call.repo.latest is None:
        raise not_found()
    return Answer(200, release_json(call.repo, call.repo.latest))


@route("GET", "{R}/releases/tags/{path}")
def release_of_tag(call: Call) -> Answer:
    published = (release for release in call.repo.releases if not release.draft)
    found = next(
        (release for release in published if release.tag == call.args["path"]), None
    )
    if found is None:
        raise not_found()
    return Answer(200, release_json(call.repo, found))


@route("GET", "{R}/releases/{id}/assets")
def list_assets(call: Call) -> Answer:
    release = _release(call)
    return call.paged(
        [_asset_json(call.repo, release, asset) for asset in release.assets]
    )


@route("POST", "/uploads{R}/releases/{id}/assets")
def upload_asset(call: Call) -> Answer:
    call.need("write")
    release = _release(call)
    name = call.query.get("name")
    if not name:
        raise _invalid("ReleaseAsset", "missing_field", "name")
    if any(asset.name == name for asset in release.assets):
        raise _invalid("ReleaseAsset", "already_exists", "name")
    asset = Asset(call.hub.next_id(), name, call.body or b"", call.by)
    release.assets.append(asset)
    return Answer(201, _asset_json(call.repo, release, asset))


@route("DELETE", "{R}/releases/assets/{id}")
def delete_asset(call: Call) -> Answer:
    call.need("write")
    number = int(call.args["id"])
    for release in call.repo.releases:
        for asset in release.assets:
            if asset.id == number:
                release.assets.remove(asset)
                return Answer(204)
    raise not_found()


def _release(call: Call) -> Release:
    number = int(call.args["id"])
    for release in call.repo.releases:
        if release.id == number and (not release.draft or _may_push(call)):
            return release
    raise not_found()


def _invalid(resource: str, code: str, field: str) -> RefusedError:
    error = {"resource": resource, "code": code, "field": field}
    return RefusedError(422, "Validation Failed", [error])


def release_json(repo: Repo, release: Release) -> Json:
    hub = repo.hub
    url = f"{hub.api}/repos/{repo.full_name}/releases/{release.id}"
    uploads = f"{hub.url}{UPLOADS}/repos/{repo.full_name}/releases/{release.id}"
    page = f"{hub.url}/{repo.full_name}/releases/tag/{release.tag}"
    archives = f"{hub.api}/repos/{repo.full_name}"
    is_seen = not release.draft
    return {
        "url": url,
        "html_url": page,
        "assets_url": f"{url}/assets",
        "upload_url": f"{uploads}/assets{{?name,label}}",
        "tarball_url": f"{archives}/tarball/{release.tag}" if is_seen else None,
        "zipball_url": f"{archives}/zipball/{release.tag}" if is_seen else None,
        "id": release.id,
        "node_id": f"RE_{release.id}",
        "tag_name": release.tag,
        "target_commitish": "main",
        "name": release.name,
        "body": release.body,
        "draft": release.draft,
        "prerelease": release.prerelease,
        "immutable": False,
        "created_at": release.created,
        "published_at": release.published,
        "author": user_json(hub, release.author),
        "assets": [_asset_json(repo, release, asset) for asset in release.assets],
    }


def _asset_json(repo: Repo, release: Release, asset: Asset) -> Json:
    hub = repo.hub
    digest = hashlib.sha256(asset.data).hexdigest()
    download = f"{hub.url}/{repo.full_name}/releases/download/{release.tag}"
    return {
        "url": f"{hub.api}/repos/{repo.full_name}/releases/assets/{asset.id}",
        "browser_download_url": f"{download}/{asset.name}",
        "id": asset.id,
        "node_id": f"RA_{asset.id}",
        "name": asset.name,
        "label": None,
        "state": asset.state,
        "content_type": "application/octet-stream",
        "size": len(asset.data),
        "digest": f"sha256:{digest}" if asset.state == "uploaded" else None,
        "download_count": 0,
        "created_at": asset.created,
        "updated_at": asset.created,
        "uploader": user_json(hub, asset.uploader),
    }
