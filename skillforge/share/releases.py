"""Releases: tags that are versions, with notes and trailers."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from skillforge.errors import ConfigError, ConflictError, RequestError
from skillforge.gitrepo import GitRepo, notes, tags, trailers
from skillforge.gitrepo.tags import Tag
from skillforge.share import semver
from skillforge.share.semver import SemVer

# Trailers of a tag, so that a hub does not depend on the clone that builds it.
REPOSITORY = "Repository"  # that clients install from
NOTES = "Notes"  # the commit of the notes on merges
STABLE = "Stable"  # a skill in a rollout, and the tree that is published instead
_STABLE = re.compile(r"(\S+) ([0-9a-f]{40}(?:[0-9a-f]{24})?|none)")


class Release(NamedTuple):
    """A tag that is a version."""

    version: SemVer
    tag: Tag

    @property
    def repository(self) -> str:
        return trailers.first(trailers.read(self.tag.message), REPOSITORY)

    @property
    def notes_commit(self) -> str:
        """The commit of the notes on merges at the time of the release."""
        return trailers.first(trailers.read(self.tag.message), NOTES)

    @property
    def stable(self) -> dict[str, str]:
        """The trees of skills that were in a rollout; empty if none is published."""
        lines = trailers.read(self.tag.message).get(STABLE, [])
        found = [match for line in lines if (match := _STABLE.fullmatch(line))]
        if len(found) < len(lines):
            raise ConfigError(
                f"{self.tag.name} has a damaged trailer {STABLE}", hint="tag it again"
            )
        return {m[1]: m[2].removesuffix("none") for m in found}

    @property
    def notes(self) -> str:
        """The release notes, as Markdown."""
        has_trailers = bool(trailers.read(self.tag.message))
        _title, *paragraphs = self.tag.message.strip().split("\n\n")
        return "\n\n".join(paragraphs[:-1] if has_trailers else paragraphs)


def find(repo: GitRepo, name: str) -> Release:
    """The release of a version such as `v1.2.0` or `1.2.0`."""
    version = semver.read(name)
    for spelling in dict.fromkeys((name, version.tag, str(version))):
        if tag := tags.find(repo, spelling):
            return Release(version, tag)
    raise RequestError(
        f"no release {version.tag} in this clone",
        hint="git tag lists the releases; git fetch --tags fetches others",
    )


def newest(repo: GitRepo, until: str = "") -> Release | None:
    """The release with the highest version; `until` is a commit that contains it."""
    versions = {semver.find(name): name for name in tags.names(repo)}
    known = sorted(filter(None, versions), key=lambda version: version.rank)
    for version in reversed(known):
        tag = tags.find(repo, versions[version])
        if tag and (not until or repo.is_ancestor(tag.commit, until)):
            return Release(version, tag)
    return None


def must_find_newest(repo: GitRepo) -> Release:
    if release := newest(repo):
        return release
    raise RequestError("no releases yet", hint="skillforge release")


def existing(repo: GitRepo, version: SemVer, commit: str) -> Release | None:
    """The release of a commit with this version, if it exists.

    It is an error if another commit has the version, or if a later version exists.
    """
    tag = tags.find(repo, version.tag)
    if tag is not None and tag.commit == commit:
        return Release(version, tag)
    last = newest(repo)
    if tag is not None:
        problem = f"{version.tag} is already released from commit {tag.commit[:12]}"
    elif last is not None and last.version.rank >= version.rank:
        problem = f"{version.tag} is lower than the latest release, {last.tag.name}"
    else:
        return None
    raise ConflictError(problem, hint="skillforge release suggests the next version")


def create(repo: GitRepo, version: SemVer, commit: str, message: str) -> Release:
    """Tag a commit; several processes may do so at the same time."""
    if not tags.create(repo, version.tag, commit, message):
        existing(repo, version, commit)
    return find(repo, version.tag)


def message(
    repo: GitRepo,
    version: SemVer,
    text: str,
    repository: str,
    stable: Mapping[str, str],
) -> str:
    """The message of a tag: the release notes and the trailers."""
    values = [(REPOSITORY, repository), (NOTES, repo.ref(notes.NOTES))]
    values += [(STABLE, f"{name} {tree or 'none'}") for name, tree in stable.items()]
    lines = (f"{key}: {trailers.one_line(value)}" for key, value in values if value)
    parts = [f"Release {version.tag}", text.strip(), "\n".join(lines)]
    return "\n\n".join(part for part in parts if part) + "\n"
