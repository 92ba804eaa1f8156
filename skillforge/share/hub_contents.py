"""The contents of a release's hub: its skills as they are published."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from operator import attrgetter
from typing import NamedTuple

from skillforge import processes
from skillforge.checks.private_names import known_to
from skillforge.errors import ConflictError
from skillforge.library import Library
from skillforge.model import (
    EVIDENCE,
    SKILL_FILE,
    DraftFile,
    FileKind,
    Finding,
    Skill,
)
from skillforge.model.layout import folder_names
from skillforge.redact import KnownPrivate
from skillforge.share import hub_formats
from skillforge.share.archive_reader import MOST_BYTES, MOST_FILES
from skillforge.share.hub import AcceptedFinding, Hub, PublishedSkill
from skillforge.share.redact_history import redact
from skillforge.share.release_notes import Lineage
from skillforge.share.release_scan import scan_commit
from skillforge.share.releases import Release
from skillforge.store import Cache
from skillforge.worker_pool import Progress

UNPUBLISHED = ("tests/", "evals/")  # folders of a skill
_MAIL = re.compile(r" <[^<>@\s]*@[^<>\s]*>")
_KNOWN = "there was one like it when the library adopted Skillforge"
_IN_ROLLOUT = "it is new, and its rollout is not finished"
DEFAULT_TITLE = "Skills Hub"


@dataclass(frozen=True, slots=True)
class HistoryFacts:
    """The history of skills up to a tag.

    `lineage` has the versions of each skill, the newest first. `tested` are the trees
    whose test cases passed a gate.
    """

    lineage: Lineage = field(default_factory=dict)
    tested: frozenset[str] = frozenset()


class HubOptions(NamedTuple):
    """Options of a hub; an empty one has a default."""

    url: str = ""
    title: str = ""
    repository: str = ""


@dataclass(frozen=True, slots=True)
class HubContents:
    """A hub, the findings that block it, and the skipped skills with the reason."""

    hub: Hub
    blocking: tuple[Finding, ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
    cache: Cache | None = None  # of the clone

    @property
    def archives_only(self) -> dict[str, str]:
        """Skills whose files are not served one by one, each with an active file."""
        return hub_formats.archives_only(self.hub)


@processes.without_cycles
def gather(
    library: Library,
    release: Release,
    history: HistoryFacts,
    options: HubOptions,
    progress: Progress,
) -> HubContents:
    """Everything that a release publishes; the checkout is not read."""
    commit = release.tag.commit
    date = _date(library, commit)
    stable = release.stable
    history = replace(history, lineage=up_to(history.lineage, stable))
    read = list(_read(library, commit, history.lineage, stable))
    skills = [skill for skill, *_ in read]
    scanned = scan_commit(library, commit, date.date(), skills, progress, stable=stable)
    examples, verdicts = _examples(library, commit), scanned.verdicts
    names = _names(skills)
    known = known_to(library.policy(commit))
    published: list[PublishedSkill] = []
    skipped = {name: _IN_ROLLOUT for name, tree in stable.items() if not tree}
    for skill, tree, files in read:
        if problem := _problem(skill, files):
            skipped[skill.name] = problem
        else:
            facts = (str(verdicts[skill.name]), examples[skill.name])
            new = _published(skill, tree, files, history, *facts)
            accepted = _accepted(scanned.findings[skill.name], known)
            name = names[skill.name]
            listed = tuple(dict.fromkeys(accepted))
            published.append(replace(new, name=name, accepted=listed))
    repository = options.repository or release.repository
    hub = Hub(
        options.title or _title(repository),
        release.tag.name,
        commit,
        date.isoformat(),
        tuple(sorted(published, key=attrgetter("name"))),
        release.notes,
        options.url,
        repository,
    )
    cache = Cache.of(library.repository().common_dir)
    return HubContents(hub, scanned.blocking, skipped, cache)


def _names(skills: list[Skill]) -> dict[str, str]:
    """The published names: what a skill calls itself, if all clients take it."""
    folders = folder_names(skill.name for skill in skills)
    own = {s.name: s.document.words("name") for s in skills if s.document}
    uses = Counter([*folders.values(), *own.values()])
    good = {n: o for n, o in own.items() if uses[o] == 1 and hub_formats.is_portable(o)}
    return folders | good


def _accepted(
    findings: Iterable[Finding], private: KnownPrivate
) -> Iterator[AcceptedFinding]:
    """The findings that block nothing because of a waiver or the baseline."""
    for finding in findings:
        if finding.waived:
            why = redact(_MAIL.sub("", finding.waived), private, is_reason=True)
            facts = (finding.was, "waived", why)
        elif finding.known:
            facts = (finding.severity.value, "known", _KNOWN)
        else:
            continue
        yield AcceptedFinding(finding.rule, finding.path, *facts)


def up_to(lineage: Lineage, stable: Mapping[str, str]) -> Lineage:
    """The versions of each skill without those after its stable one.

    A version that main never had is an error: a tag may name any tree.
    """
    shown = dict(lineage)
    for name, tree in stable.items():
        versions = lineage.get(name, ())
        trees = [version.tree for version in versions]
        if tree and tree not in trees:
            raise ConflictError(
                f"the release names a version of {name} that it doesn't contain: "
                f"{tree[:12]}",
                hint="release it again",
            )
        shown[name] = versions[trees.index(tree) :] if tree else ()
    return shown


def _date(library: Library, commit: str) -> datetime:
    [logged] = library.repository().log("--max-count=1", commit)
    return datetime.fromtimestamp(logged.seconds, UTC)


def _title(repository: str) -> str:
    name = repository.rstrip("/").rpartition("/")[2].removesuffix(".git")
    return name or DEFAULT_TITLE


def _examples(library: Library, commit: str) -> Counter[str]:
    """The number of examples that each skill is based on."""
    listed = library.repository().files_in(f"{commit}:{EVIDENCE}")
    return Counter(p.rpartition("/")[0] for p in listed if p.endswith(".json"))


def _read(
    library: Library, commit: str, lineage: Lineage, stable: Mapping[str, str]
) -> Iterator[tuple[Skill, str, dict[str, DraftFile]]]:
    """Every skill, its tree, and its published files."""
    repo = library.repository()
    trees = library.skill_trees(commit) | dict(stable)
    listing = library.listing(commit)
    for name, tree in stable.items():
        listing.pop(name, None)
        if tree:
            listing |= library.listing(lineage[name][0].commit, [name])
    tops = {name: f"{library.path_of(name)}/" for name in listing}
    objects = [
        file.object
        for name, files in listing.items()
        for file in files
        if file.mode.startswith("100") and _is_published(tops[name], file.path)
    ]
    contents = dict(zip(objects, repo.blobs(objects), strict=True))
    for skill in library.read_listed(listing):
        top = tops[skill.name]
        files = {
            file.path.removeprefix(top): DraftFile(
                contents[file.object], file.mode == "100755"
            )
            for file in listing[skill.name]
            if file.object in contents and _is_published(top, file.path)
        }
        yield skill, trees.get(skill.name, ""), {**files, **_linked(skill, files)}


def _is_published(top: str, path: str) -> bool:
    return not path.removeprefix(top).startswith(UNPUBLISHED)


def _linked(skill: Skill, files: Mapping[str, DraftFile]) -> dict[str, DraftFile]:
    """The targets of links inside a skill: clients refuse an archive with links."""
    import posixpath

    linked = {}
    for path, file in skill.files.items():
        if file.kind is FileKind.SYMLINK and not path.startswith(UNPUBLISHED):
            target = skill.read(path).decode("utf-8", "replace")
            inside = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            if inside in files:
                linked[path] = files[inside]
    return linked


def _problem(skill: Skill, files: Mapping[str, DraftFile]) -> str:
    """Why clients can't install a skill; empty if they can."""
    document = skill.document
    if document is None or SKILL_FILE not in files:
        return f"it has no {SKILL_FILE}"
    if not document.readable:
        return f"its {SKILL_FILE} cannot be read"
    if not document.words("name").strip():
        return "it has no name"
    if not document.words("description").strip():
        return "it has no description"
    size = sum(len(file.data) for file in files.values())
    if len(files) > MOST_FILES or size > MOST_BYTES:
        return f"clients unpack at most {MOST_FILES:,} files and {MOST_BYTES >> 20} MiB"
    missing = [
        path
        for path, file in skill.files.items()
        if path not in files and not path.startswith(UNPUBLISHED)
    ]
    return f"{missing[0]} is a broken link" if missing else ""


def _published(  # noqa: PLR0913, PLR0917 - the parts of a published skill
    skill: Skill,
    tree: str,
    files: Mapping[str, DraftFile],
    history: HistoryFacts,
    verdict: str,
    examples: int,
) -> PublishedSkill:
    document = skill.document
    assert document is not None
    versions = history.lineage.get(skill.name, ())
    current = next((version for version in versions if version.tree == tree), None)
    return PublishedSkill(
        name=skill.name,
        path=skill.path,
        description=document.words("description").strip(),
        version=document.metadata("version"),
        tree=tree,
        files=files,
        document=document,
        group=document.metadata("category"),
        license=document.words("license"),
        scan=verdict,
        tests=_tests(skill, tree in history.tested),
        examples=examples,
        approvers=current.approvers if current else (),
        versions=versions,
    )


def _tests(skill: Skill, is_tested: bool) -> str:
    """Whether its test cases passed a gate; nothing is run."""
    if not any(path.startswith("tests/") for path in skill.files):
        return ""
    return "passed" if is_tested else "not-run"
