"""Releases: which there are, what a tag of ours says, and how one is made."""

from typing import NamedTuple

from skillforge.errors import ConflictError, RequestError
from skillforge.gitrepo import GitRepo, notes, tags, trailers
from skillforge.gitrepo.tags import Tag
from skillforge.share import semver
from skillforge.share.semver import SemVer

# Trailers of a tag. What a hub says must not depend on the clone that it is made in.
REPOSITORY = "Repository"  # where clients install from
NOTES = "Notes"  # the notes on merges as they were


class Release(NamedTuple):
    """A tag that is a version."""

    version: SemVer
    tag: Tag

    @property
    def repository(self) -> str:
        return trailers.first(trailers.read(self.tag.message), REPOSITORY)

    @property
    def noted(self) -> str:
        """The commit of the notes that were known when it was made."""
        return trailers.first(trailers.read(self.tag.message), NOTES)

    @property
    def notes(self) -> str:
        """What it brings, as Markdown."""
        has_trailers = bool(trailers.read(self.tag.message))
        _title, *paragraphs = self.tag.message.strip().split("\n\n")
        return "\n\n".join(paragraphs[:-1] if has_trailers else paragraphs)


def find(repo: GitRepo, name: str) -> Release:
    """The release that somebody names: `v1.2.0`, or `1.2.0`."""
    version = semver.read(name)
    for tag in dict.fromkeys((name, version.tag, str(version))):
        if found := tags.find(repo, tag):
            return Release(version, found)
    raise RequestError(
        f"there is no release {version.tag} here",
        hint="git tag lists what there is; git fetch --tags brings those of others",
    )


def newest(repo: GitRepo, until: str = "") -> Release | None:
    """The highest version; of those that lead up to a commit, if one is given."""
    versions = {semver.find(name): name for name in tags.names(repo)}
    known = sorted(filter(None, versions), key=lambda version: version.rank)
    for version in reversed(known):
        tag = tags.find(repo, versions[version])
        if tag and (not until or repo.is_ancestor(tag.commit, until)):
            return Release(version, tag)
    return None


def must_find_newest(repo: GitRepo) -> Release:
    if found := newest(repo):
        return found
    raise RequestError("there is no release yet", hint="skillforge release")


def made_before(repo: GitRepo, version: SemVer, commit: str) -> Release | None:
    """The release, if this commit is released so; another one's name is refused."""
    tag = tags.find(repo, version.tag)
    if tag is not None and tag.commit == commit:
        return Release(version, tag)
    last = newest(repo)
    if tag is not None:
        problem = f"{version.tag} is released, and is commit {tag.commit[:12]}"
    elif last is not None and last.version.rank >= version.rank:
        problem = f"{last.tag.name} is released already, and comes after {version.tag}"
    else:
        return None
    raise ConflictError(problem, hint="skillforge release, alone, names the next one")


def make(repo: GitRepo, version: SemVer, commit: str, message: str) -> Release:
    """Tag a commit; whoever does the same at the same time finds it done."""
    if not tags.create(repo, version.tag, commit, message):
        made_before(repo, version, commit)
    return find(repo, version.tag)


def message(repo: GitRepo, version: SemVer, said: str, repository: str) -> str:
    """What a tag says: the notes, and what a hub of it cannot know otherwise."""
    about = [(REPOSITORY, repository), (NOTES, repo.ref(notes.NOTES))]
    lines = "\n".join(f"{name}: {trailers.one_line(it)}" for name, it in about if it)
    parts = [f"Release {version.tag}", said.strip(), lines]
    return "\n\n".join(part for part in parts if part) + "\n"
