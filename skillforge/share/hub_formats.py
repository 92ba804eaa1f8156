"""What clients and auditors read of a hub, each in its own format. All is pure."""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from skillforge import __version__
from skillforge.model import SKILL_FILE, DraftFile
from skillforge.share import hub_layout
from skillforge.share.hub import Hub, PublishedSkill, PublishedVersion
from skillforge.share.inert import active_file, is_inert

Json = dict[str, Any]
Digests = Mapping[str, str]  # sha256 in hex, by path from the top of the hub
HUB_FORMAT = "skillforge/hub/1"
_DISCOVERY = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
_GROUPS_SCHEMA = "https://skills.sh/schemas/skills.sh.schema.json"
_MOST_GROUPS = 50
_LONGEST = 1024  # of a description, in an index
_PORTABLE = re.compile(r"(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
_RESERVED = re.compile("agent-skills|anthropic|claude")  # in names of marketplaces
_BUILD = "urn:skillforge:build:1"


def encoded(value: Json) -> bytes:
    """An object as a file: each entry of its lists on a line, so that diffs are short.

    Python's own indentation would take longer than all the rest of a build.
    """
    parts = (f"  {_line(key)}: {_value(it)}" for key, it in value.items())
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode("utf-8", "replace")


def _value(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return _line(value)
    return "[\n    " + ",\n    ".join(map(_line, value)) + "\n  ]"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def installable(hub: Hub) -> list[PublishedSkill]:
    """Skills that the clients of an index take; one odd name would cost them all."""
    return [skill for skill in hub.skills if _PORTABLE.fullmatch(skill.name)]


def loose(hub: Hub) -> list[PublishedSkill]:
    """Those of them whose files are served one by one: no browser runs any of them."""
    return [skill for skill in installable(hub) if is_inert(skill.files)]


def archives_only(hub: Hub) -> dict[str, str]:
    """The others, each with a file that a browser might run."""
    found = {skill.name: active_file(skill.files) for skill in installable(hub)}
    return {name: path for name, path in found.items() if path}


def index(hub: Hub, digests: Digests) -> Json:
    """The well-known index, v0.2.0; addresses are relative, so any place will do."""
    return {"$schema": _DISCOVERY, "skills": [*_entries(hub, digests)]}


def _entries(hub: Hub, digests: Digests) -> Iterator[Json]:
    for skill in installable(hub):
        is_page = is_one_page(skill)
        path = (hub_layout.page_of if is_page else hub_layout.archive_of)(skill.name)
        yield {
            "name": skill.name,
            "type": "skill-md" if is_page else "archive",
            "description": skill.description[:_LONGEST],
            "url": path.removeprefix(f"{hub_layout.AGENT_SKILLS}/"),
            "digest": f"sha256:{digests[path]}",
            "version": skill.version,
        }


def is_one_page(skill: PublishedSkill) -> bool:
    """Whether a skill is a SKILL.md alone, and served as such."""
    return set(skill.files) == {SKILL_FILE} and is_inert(skill.files)


def legacy_index(hub: Hub) -> Json:
    """The index of v0.1.0: every file by its name, SKILL.md first.

    Clients refuse all of it for one path with two dots in a row.
    """
    return {
        "skills": [
            {
                "name": skill.name,
                "description": skill.description,
                "files": sorted(
                    skill.files, key=lambda path: (path != SKILL_FILE, path)
                ),
            }
            for skill in loose(hub)
            if not any(".." in path for path in skill.files)
        ]
    }


def hermes_hash(files: Mapping[str, DraftFile]) -> str:
    """The content hash by which Hermes knows what it has installed."""
    made_of = hashlib.sha256()
    for path, file in sorted(files.items()):
        made_of.update(path.encode("utf-8", "surrogateescape") + b"\0" + file.data)
    return f"sha256:{made_of.hexdigest()[:16]}"


def manifest(hub: Hub, digests: Digests) -> Json:
    """All that is known of each skill, and how it came to be."""
    return {
        "format": HUB_FORMAT,
        "title": hub.title,
        "tag": hub.tag,
        "commit": hub.commit,
        "date": hub.date,
        "url": hub.url,
        "repository": hub.repository,
        "skills": [_described(skill, digests) for skill in hub.skills],
    }


def _described(skill: PublishedSkill, digests: Digests) -> Json:
    archive, package = (
        hub_layout.archive_of(skill.name),
        hub_layout.package_of(skill.name),
    )
    return {
        "name": skill.name,
        "description": skill.description,
        "version": skill.version,
        "tree": skill.tree,
        "hermes_hash": hermes_hash(skill.files),
        "group": skill.group,
        "license": skill.license,
        "scan": skill.scan,
        "tests": skill.tests,
        "approvers": list(skill.approvers),
        "examples": skill.examples,
        "archive": {"path": archive, "digest": f"sha256:{digests[archive]}"},
        "package": {"path": package, "digest": f"sha256:{digests[package]}"},
        "files": [_file(path, file) for path, file in sorted(skill.files.items())],
        "provenance": [*map(_told, skill.versions)],
    }


def _file(path: str, file: DraftFile) -> Json:
    digest = hashlib.sha256(file.data).hexdigest()
    return {
        "path": path,
        "size": len(file.data),
        "sha256": digest,
        "executable": file.is_executable,
    }


def _told(version: PublishedVersion) -> Json:
    return {
        "version": version.version,
        "tree": version.tree,
        "commit": version.commit,
        "date": version.date,
        "action": version.action,
        "origin": version.origin,
        "author": version.author,
        "approvers": list(version.approvers),
        "proposal": version.proposal,
        "why": version.why,
        "reverted_by": version.reverted_by,
    }


def marketplace(hub: Hub) -> Json:
    """For Claude Code: each skill is a plugin of its own, with its own version.

    So an update of one skill is an update of that plugin, and of no other.
    """
    return {
        "name": _slug(_RESERVED.sub("", _slug(hub.title))) or "skills-hub",
        "owner": {"name": _owner(hub)},
        "metadata": {
            "description": f"Skills of {hub.title}, release {hub.tag}",
            "version": hub.tag.removeprefix("v"),
        },
        "plugins": [_plugin(hub, skill) for skill in loose(hub)],
    }


def _plugin(hub: Hub, skill: PublishedSkill) -> Json:
    return {
        "name": skill.name,
        "description": skill.description,
        "version": skill.version or hub.tag.removeprefix("v"),
        "source": f"./{hub_layout.LEGACY}/{skill.name}",
        "strict": False,
        "skills": ["./"],
    }


def _slug(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:64].strip("-")


def _owner(hub: Hub) -> str:
    parts = [part for part in re.split(r"[/:]", hub.repository) if part]
    return parts[-2] if len(parts) > 1 else hub.title


def groups(hub: Hub) -> Json:
    """For skills.sh and Hermes: skills by their group, each in at most one."""
    by_group: dict[str, list[str]] = defaultdict(list)
    for skill in hub.skills:
        if skill.group:
            by_group[skill.group].append(skill.name)
    largest = sorted(by_group, key=lambda group: (-len(by_group[group]), group))
    kept = sorted(largest[:_MOST_GROUPS])
    return {
        "$schema": _GROUPS_SCHEMA,
        "notGrouped": "bottom",
        "groupings": [{"title": it, "skills": by_group[it]} for it in kept],
    }


def provenance(hub: Hub, digests: Digests) -> Json:
    """An in-toto statement with SLSA's predicate: these bytes come from that commit.

    It tells no time, and none of the machine: it is the same for whoever builds it.
    """
    where = f"git+{hub.repository}@" if hub.repository else ""
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {"name": path, "digest": {"sha256": digests[path]}}
            for path in sorted(digests)
        ],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": _BUILD,
                "externalParameters": {
                    "tag": hub.tag,
                    "title": hub.title,
                    "url": hub.url,
                },
                "resolvedDependencies": [
                    {
                        "uri": f"{where}refs/tags/{hub.tag}",
                        "digest": {"gitCommit": hub.commit},
                    }
                ],
            },
            "runDetails": {
                "builder": {
                    "id": _BUILD,
                    "version": {"git-skillforge": __version__},
                }
            },
        },
    }


def sums(digests: Digests) -> bytes:
    """Checksums as `sha256sum --check` reads them."""
    return "".join(_sum(path, digests[path]) for path in sorted(digests)).encode(
        "utf-8", "surrogateescape"
    )


def _sum(path: str, digest: str) -> str:
    escaped = path.replace("\\", "\\\\").replace("\n", "\\n")
    mark = "\\" if escaped != path else ""
    return f"{mark}{digest}  {escaped}\n"


def read_sums(data: bytes) -> dict[str, str]:
    """The checksums in a file that `sums` wrote; what is no such line is left out."""
    found = {}
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        digest, gap, path = line.removeprefix("\\").partition("  ")
        if gap and line.startswith("\\"):
            path = re.sub(r"\\(.)", lambda it: "\n" if it[1] == "n" else it[1], path)
        if gap and re.fullmatch(r"[0-9a-f]{64}", digest):
            found[path] = digest
    return found
