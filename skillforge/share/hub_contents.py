"""A hub from a tag: which skills it holds, as they are published."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from skillforge import processes
from skillforge.library import Library
from skillforge.model import (
    EVIDENCE,
    SKILL_FILE,
    SKILLS,
    DraftFile,
    FileKind,
    Finding,
    Skill,
)
from skillforge.share import hub_formats
from skillforge.share.hub import Hub, PublishedSkill
from skillforge.share.release_notes import Lineage
from skillforge.share.release_scan import scan_commit
from skillforge.share.releases import Release
from skillforge.store import Cache

LEFT_OUT = ("tests/", "evals/")  # of a skill: they are for whoever judges it
MOST_FILES, LARGEST = 1000, 50 << 20  # of a skill, that clients unpack
DEFAULT_TITLE = "Skills Hub"


@dataclass(frozen=True, slots=True)
class HistoryFacts:
    """What history says of skills, up to the tag.

    `lineage` has the versions of each, the newest first; `tested` the trees of which
    a gate that runs cases said yes.
    """

    lineage: Lineage = field(default_factory=dict)
    tested: frozenset[str] = frozenset()


class HubOptions(NamedTuple):
    """What the publisher says of a hub; empty where the tag's own word counts."""

    url: str = ""
    title: str = ""
    repository: str = ""


@dataclass(frozen=True, slots=True)
class HubContents:
    """A hub, the findings that block it, and skills left out with the reason."""

    hub: Hub
    blocking: tuple[Finding, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    cache: Cache | None = None  # of the clone that it comes from

    @property
    def archives_only(self) -> dict[str, str]:
        """Skills whose files are not served one by one, each with the file why."""
        return hub_formats.archives_only(self.hub)


@processes.without_cycles
def gather(
    library: Library, release: Release, told: HistoryFacts, wish: HubOptions
) -> HubContents:
    """Everything that a tag publishes; nothing of the checkout is looked at."""
    commit = release.tag.commit
    when = _date(library, commit)
    read = list(_read(library, commit))
    scanned = scan_commit(library, commit, when.date(), [it[0] for it in read])
    examples, verdicts = _examples(library, commit), scanned.verdicts
    found: list[PublishedSkill] = []
    left_out: dict[str, str] = {}
    for skill, tree, files in read:
        if why := _unfit(skill, files):
            left_out[skill.name] = why
        else:
            about = (str(verdicts[skill.name]), examples[skill.name])
            found.append(_published(skill, tree, files, told, *about))
    hub = Hub(
        wish.title or _title(wish.repository or release.repository),
        release.tag.name,
        commit,
        when.isoformat(),
        tuple(found),
        release.notes,
        wish.url,
        wish.repository or release.repository,
    )
    cache = Cache.of(library.repository().common_dir)
    return HubContents(hub, scanned.blocking, left_out, cache)


def _date(library: Library, commit: str) -> datetime:
    [about] = library.repository().log("--max-count=1", commit)
    return datetime.fromtimestamp(about.seconds, UTC)


def _title(repository: str) -> str:
    name = repository.rstrip("/").rpartition("/")[2].removesuffix(".git")
    return name or DEFAULT_TITLE


def _examples(library: Library, commit: str) -> Counter[str]:
    """How many examples each skill rests on."""
    listed = library.repository().files_in(f"{commit}:{EVIDENCE}")
    paths = (path.split("/") for path in listed if path.endswith(".json"))
    return Counter(parts[0] for parts in paths if len(parts) == 2)


def _read(
    library: Library, commit: str
) -> Iterator[tuple[Skill, str, dict[str, DraftFile]]]:
    """Every skill, its tree, and its files without what stays at home."""
    repo = library.repository()
    trees = library.skill_trees(commit)
    listing = library.listing(commit)
    wanted = [
        file.object
        for name, files in listing.items()
        for file in files
        if file.mode.startswith("100") and not _stays(name, file.path)
    ]
    contents = dict(zip(wanted, repo.blobs(wanted), strict=True))
    for skill in library.read_listed(listing):
        files = {
            file.path.split("/", 2)[2]: DraftFile(
                contents[file.object], file.mode == "100755"
            )
            for file in listing[skill.name]
            if file.object in contents and not _stays(skill.name, file.path)
        }
        yield skill, trees.get(skill.name, ""), {**files, **_followed(skill, files)}


def _stays(name: str, path: str) -> bool:
    return path.removeprefix(f"{SKILLS}/{name}/").startswith(LEFT_OUT)


def _followed(skill: Skill, files: Mapping[str, DraftFile]) -> dict[str, DraftFile]:
    """What links inside a skill lead to: clients refuse an archive that has links."""
    import posixpath

    found = {}
    for path, file in skill.files.items():
        if file.kind is FileKind.SYMLINK and not path.startswith(LEFT_OUT):
            target = skill.read(path).decode("utf-8", "replace")
            inside = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            if inside in files:
                found[path] = files[inside]
    return found


def _unfit(skill: Skill, files: Mapping[str, DraftFile]) -> str:
    """Why no client could install it; empty if one can."""
    page = skill.document
    if page is None or SKILL_FILE not in files:
        return f"it has no {SKILL_FILE}"
    if not page.readable:
        return f"its {SKILL_FILE} cannot be read"
    if page.words("name") != skill.name or not page.words("description").strip():
        return "its name is not its folder's, or it says nothing of what it is for"
    if len(files) > MOST_FILES or sum(len(it.data) for it in files.values()) > LARGEST:
        return f"clients unpack at most {MOST_FILES:,} files and {LARGEST >> 20} MiB"
    missing = [
        path
        for path, file in skill.files.items()
        if path not in files and not path.startswith(LEFT_OUT)
    ]
    return f"{missing[0]} leads nowhere" if missing else ""


def _published(  # noqa: PLR0913, PLR0917 - what is known of a skill
    skill: Skill,
    tree: str,
    files: Mapping[str, DraftFile],
    told: HistoryFacts,
    verdict: str,
    examples: int,
) -> PublishedSkill:
    page = skill.document
    assert page is not None
    versions = told.lineage.get(skill.name, ())
    current = next((it for it in versions if it.tree == tree), None)
    return PublishedSkill(
        name=skill.name,
        description=page.words("description").strip(),
        version=page.metadata("version"),
        tree=tree,
        files=files,
        document=page,
        group=page.metadata("category"),
        license=page.words("license"),
        scan=verdict,
        tests=_tests(skill, tree in told.tested),
        examples=examples,
        approvers=current.approvers if current else (),
        versions=versions,
    )


def _tests(skill: Skill, is_tested: bool) -> str:
    """What a gate said of the cases that it ships; nothing is run here."""
    if not any(path.startswith("tests/") for path in skill.files):
        return ""
    return "passed" if is_tested else "not-run"
