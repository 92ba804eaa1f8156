"""The files of a hub that clients and auditors read, as values and bytes."""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict
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
_LONGEST = 1024  # characters of a description in an index
_PORTABLE = re.compile(r"(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
_RESERVED = re.compile("agent-skills|anthropic|claude")  # for marketplaces
_BUILD = "urn:skillforge:build:1"


def encoded(value: Json) -> bytes:
    """An object as JSON, with each entry of its lists on a line for short diffs.

    `json.dumps(indent=...)` would take longer than the rest of a build.
    """
    parts = (f"  {_line(key)}: {_value(entry)}" for key, entry in value.items())
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode("utf-8", "replace")


def _value(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return _line(value)
    return "[\n    " + ",\n    ".join(map(_line, value)) + "\n  ]"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def is_portable(name: str) -> bool:
    """Whether every client takes a name."""
    return bool(_PORTABLE.fullmatch(name))


def installable(hub: Hub) -> list[PublishedSkill]:
    """The skills with portable names: clients reject an index with any other."""
    return [skill for skill in hub.skills if is_portable(skill.name)]


def loose(hub: Hub) -> list[PublishedSkill]:
    """The installable skills whose files are inert, and also served one by one."""
    return [skill for skill in installable(hub) if is_inert(skill.files)]


def archives_only(hub: Hub) -> dict[str, str]:
    """The other installable skills, each with a file that a browser could run."""
    active = {skill.name: active_file(skill.files) for skill in installable(hub)}
    return {name: path for name, path in active.items() if path}


def index(hub: Hub, digests: Digests) -> Json:
    """The well-known index, v0.2.0; its URLs are relative, so it works anywhere."""
    entries = [_entry(skill, digests) for skill in installable(hub)]
    return {"$schema": _DISCOVERY, "skills": entries}


def _entry(skill: PublishedSkill, digests: Digests) -> Json:
    is_page = is_one_page(skill)
    path = (hub_layout.page_of if is_page else hub_layout.archive_of)(skill.name)
    accepted = [finding._asdict() for finding in skill.accepted]
    return {
        "name": skill.name,
        "type": "skill-md" if is_page else "archive",
        "description": skill.description[:_LONGEST],
        "url": path.removeprefix(f"{hub_layout.AGENT_SKILLS}/"),
        "digest": f"sha256:{digests[path]}",
        "version": skill.version,
        **({"accepted": accepted} if accepted else {}),
    }


def is_one_page(skill: PublishedSkill) -> bool:
    """Whether a skill is only a SKILL.md, and served as one."""
    return set(skill.files) == {SKILL_FILE} and is_inert(skill.files)


def legacy_index(hub: Hub) -> Json:
    """The index of v0.1.0: the names of all files, SKILL.md first.

    Clients reject an index in which any path has two dots in a row.
    """
    return {
        "skills": [
            {
                "name": skill.name,
                "description": skill.description,
                "files": sorted(skill.files, key=lambda p: (p != SKILL_FILE, p)),
            }
            for skill in loose(hub)
            if not any(".." in path for path in skill.files)
        ]
    }


def hermes_hash(files: Mapping[str, DraftFile]) -> str:
    """The content hash that Hermes records for an installed skill."""
    sha256 = hashlib.sha256()
    for path, file in sorted(files.items()):
        sha256.update(path.encode("utf-8", "surrogateescape") + b"\0" + file.data)
    return f"sha256:{sha256.hexdigest()[:16]}"


def manifest(hub: Hub, digests: Digests) -> Json:
    """Everything about the hub and its skills, with their history."""
    return {
        "format": HUB_FORMAT,
        "title": hub.title,
        "tag": hub.tag,
        "commit": hub.commit,
        "date": hub.date,
        "url": hub.url,
        "repository": hub.repository,
        "skills": [_skill(skill, digests) for skill in hub.skills],
    }


def _skill(skill: PublishedSkill, digests: Digests) -> Json:
    archive = hub_layout.archive_of(skill.name)
    package = hub_layout.package_of(skill.name)
    return {
        "name": skill.name,
        "description": skill.description,
        "version": skill.version,
        "tree": skill.tree,
        "hermes_hash": hermes_hash(skill.files),
        "group": skill.group,
        "license": skill.license,
        "scan": skill.scan,
        "accepted": [finding._asdict() for finding in skill.accepted],
        "tests": skill.tests,
        "approvers": list(skill.approvers),
        "examples": skill.examples,
        "archive": {"path": archive, "digest": f"sha256:{digests[archive]}"},
        "package": {"path": package, "digest": f"sha256:{digests[package]}"},
        "files": [_file(path, file) for path, file in sorted(skill.files.items())],
        "provenance": [*map(_version, skill.versions)],
    }


def _file(path: str, file: DraftFile) -> Json:
    return {
        "path": path,
        "size": len(file.data),
        "sha256": hashlib.sha256(file.data).hexdigest(),
        "executable": file.is_executable,
    }


def _version(version: PublishedVersion) -> Json:
    row = asdict(version)
    del row["diff"]
    return row | {"approvers": list(version.approvers)}


def marketplace(hub: Hub) -> Json:
    """The marketplace of Claude Code; each skill is a plugin with its own version."""
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
    """The groups of skills.sh and Hermes; a skill is in at most one."""
    by_group: dict[str, list[str]] = defaultdict(list)
    for skill in hub.skills:
        if skill.group:
            by_group[skill.group].append(skill.name)
    largest = sorted(by_group, key=lambda group: (-len(by_group[group]), group))
    titles = sorted(largest[:_MOST_GROUPS])
    return {
        "$schema": _GROUPS_SCHEMA,
        "notGrouped": "bottom",
        "groupings": [{"title": t, "skills": by_group[t]} for t in titles],
    }


def provenance(hub: Hub, digests: Digests) -> Json:
    """An in-toto statement with a SLSA predicate: the commit of all these bytes.

    It has no time and no machine, so every build gives the same statement.
    """
    source = f"git+{hub.repository}@" if hub.repository else ""
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {"name": path, "digest": {"sha256": digest}}
            for path, digest in sorted(digests.items())
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
                        "uri": f"{source}refs/tags/{hub.tag}",
                        "digest": {"gitCommit": hub.commit},
                    }
                ],
            },
            "runDetails": {
                "builder": {"id": _BUILD, "version": {"git-skillforge": __version__}}
            },
        },
    }


def sums(digests: Digests) -> bytes:
    """Checksums in the format of `sha256sum --check`."""
    lines = [_sum(path, digest) for path, digest in sorted(digests.items())]
    return "".join(lines).encode("utf-8", "surrogateescape")


def _sum(path: str, digest: str) -> str:
    escaped = path.replace("\\", "\\\\").replace("\n", "\\n")
    mark = "\\" if escaped != path else ""
    return f"{mark}{digest}  {escaped}\n"


def read_sums(data: bytes) -> dict[str, str]:
    """The checksums in a file that `sums` wrote; other lines are ignored."""
    digests = {}
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        digest, gap, path = line.removeprefix("\\").partition("  ")
        if gap and line.startswith("\\"):
            path = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], path)
        if gap and re.fullmatch(r"[0-9a-f]{64}", digest):
            digests[path] = digest
    return digests
