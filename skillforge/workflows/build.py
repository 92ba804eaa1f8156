"""Build the Skills Hub of a release."""

from dataclasses import dataclass
from pathlib import Path

from skillforge.errors import RequestError
from skillforge.library import Library
from skillforge.share import atomic_folder, hub_build, releases
from skillforge.share.hub_contents import HubContents, gather
from skillforge.share.hub_contents import HubOptions as HubOptions
from skillforge.share.published_versions import history_facts
from skillforge.worker_pool import Progress


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The contents of a hub, and where it was built; nowhere if findings block it."""

    contents: HubContents
    path: Path | None = None
    digest: str = ""

    @property
    def ok(self) -> bool:
        return not self.contents.blocking


def build(
    library: Library,
    out: Path,
    tag: str = "",
    options: HubOptions | None = None,
    progress: Progress | None = None,
) -> BuildResult:
    """Build the hub of a release, the newest by default, in a folder."""
    contents = hub_contents(library, tag, options or HubOptions(), progress)
    if contents.blocking:
        return BuildResult(contents)
    atomic_folder.hub_in(out)  # an error if the folder has other files
    hub_build.build(contents.hub, out, contents.cache)
    return BuildResult(contents, out, hub_build.digest(out))


def hub_contents(
    library: Library, tag: str, options: HubOptions, progress: Progress | None = None
) -> HubContents:
    """What a release publishes, scanned; the newest release by default."""
    repo = library.repository()
    release = releases.find(repo, tag) if tag else releases.must_find_newest(repo)
    history = history_facts(library, release.tag.commit, release.notes_commit)
    contents = gather(library, release, history, options, progress or Progress())
    if not contents.hub.skills and not contents.blocking:
        name = release.tag.name
        raise RequestError(
            f"{name} has no skill that can be published",
            hint=f"skillforge validate --rev {name} shows why",
        )
    return contents
