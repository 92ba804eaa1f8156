"""What a skill is able to do: notes for whoever reviews it, and never an alarm."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from skillforge.checks.scan.hosts import Host
from skillforge.checks.scan.matches import ScanMatches
from skillforge.checks.scan.segments import Segment, SegmentView
from skillforge.model import (
    Document,
    FileKind,
    RuleProblem,
    Severity,
    Skill,
    rule,
    rules_in,
)

_NOTE = Severity.NOTE
_VARIABLE = re.compile(
    r"\$\{?([A-Z][A-Z0-9_]{2,60})\b|(?:environ(?:\.get)?\s?[\[(]|getenv\()"
    r"\s?[\"']([A-Z][A-Z0-9_]{2,60})[\"']"
    r"|process\.env\.([A-Z][A-Z0-9_]{2,60})|\$env:([A-Z][A-Z0-9_]{2,60})"
)
_SET = re.compile(
    r"^[ \t]*(?:export\s+|local\s+|readonly\s+)?([A-Z][A-Z0-9_]{2,60})=", re.MULTILINE
)
_USUAL = frozenset(
    [
        "HOME",
        "PATH",
        "PWD",
        "USER",
        "SHELL",
        "TMPDIR",
        "TMP",
        "TEMP",
        "LANG",
        "TERM",
        "EDITOR",
        "PAGER",
        "HOSTNAME",
        "OLDPWD",
        "IFS",
        "RANDOM",
        "BASH_SOURCE",
        "BASH_VERSION",
        "PYTHONPATH",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "CLAUDE_PLUGIN_ROOT",
        "CLAUDE_SKILL_DIR",
        "ARGUMENTS",
        "LINENO",
        "PPID",
        "SECONDS",
        "UID",
        "EUID",
    ]
)
_PROGRAMS = [
    "curl",
    "wget",
    "ssh",
    "scp",
    "rsync",
    "sftp",
    "ftp",
    "nc",
    "ncat",
    "git",
    "gh",
    "glab",
    "hg",
    "svn",
    "docker",
    "podman",
    "kubectl",
    "helm",
    "terraform",
    "aws",
    "gcloud",
    "az",
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "bun",
    "bunx",
    "pip",
    "pip3",
    "pipx",
    "uv",
    "uvx",
    "cargo",
    "go",
    "brew",
    "apt",
    "apt-get",
    "yum",
    "dnf",
    "pacman",
    "choco",
    "winget",
    "psql",
    "mysql",
    "sqlite3",
    "redis-cli",
    "mongosh",
    "openssl",
    "gpg",
    "sudo",
    "su",
    "systemctl",
    "launchctl",
    "crontab",
    "osascript",
    "open",
    "xdg-open",
    "ffmpeg",
    "node",
    "deno",
    "python",
    "python3",
    "ruby",
    "perl",
    "php",
    "java",
    "make",
    "sed",
    "awk",
    "rm",
    "chmod",
    "chown",
    "kill",
    "tar",
    "zip",
    "unzip",
]
_COMMAND = re.compile(
    rf"(?:^|[;&|(`]\s?|\$\(|\bsudo\s+)[ \t]*(?:\$\s)"
    rf"?({'|'.join(sorted(_PROGRAMS, key=len, reverse=True))})(?=\s)",
    re.MULTILINE,
)
_WIDE = re.compile(r"\*|Bash|Bash\(\*(?::\*)?\)|mcp__\*|.*\(\*\)")
_SHELL = ("bash", "sh", "shell", "zsh", "console", "terminal", "powershell", "batch")
_SCRIPT = re.compile(
    r".*\.(?:py|sh|bash|zsh|fish|js|mjs|cjs|ts|rb|pl|ps1|bat|cmd|lua|go|php|r|command)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a skill reaches out to, each named once."""

    hosts: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    scripts: frozenset[str] = frozenset()

    def named(self) -> Iterator[str]:
        """Each of them in words, as `network api.example.com`."""
        for kind, names in (
            ("tool", self.tools),
            ("script", self.scripts),
            ("network", self.hosts),
            ("environment", self.variables),
            ("program", self.programs),
        ):
            yield from (f"{kind} {name}" for name in sorted(names))


def powers(skill: Skill, seen: ScanMatches) -> Capabilities:
    """What a skill is able to do, as far as its text tells."""
    code = [
        p for p in seen.pieces if p.view is SegmentView.CODE and p.language != "strings"
    ]
    return Capabilities(
        frozenset(
            link.link.host
            for link in seen.links
            if link.link and link.kind is not Host.LOCAL
        ),
        frozenset(_variables(code)),
        frozenset(_programs(code)),
        frozenset(tools(skill.document)),
        frozenset(_scripts(skill)),
    )


def tools(document: Document | None) -> Iterator[str]:
    """What `allowed-tools` grants; a list is read as well as a text."""
    granted = document.fields.get("allowed-tools", "") if document else ""
    words = (
        granted
        if isinstance(granted, list)
        else re.split(r"[\s,]+(?![^(]*\))", str(granted))
    )
    yield from (str(word) for word in words if str(word).strip())


def _variables(code: Iterable[Segment]) -> Iterator[str]:
    for piece in code:
        if "$" not in piece.raw and "env" not in piece.raw:
            continue
        own = set(_SET.findall(piece.raw)) | _USUAL
        for match in _VARIABLE.finditer(piece.raw):
            name = next(filter(None, match.groups()))
            if name not in own:
                yield name


def _programs(code: Iterable[Segment]) -> Iterator[str]:
    for piece in code:
        if piece.language in _SHELL:
            yield from _COMMAND.findall(piece.text)


def _scripts(skill: Skill) -> Iterator[str]:
    for path, file in skill.files.items():
        if file.kind is FileKind.EXECUTABLE or _SCRIPT.fullmatch(path):
            yield path


def declared(document: Document | None) -> dict[str, frozenset[str]]:
    """What a skill says of itself: `metadata.hosts`, `.env` and `.programs`.

    Names stand between spaces or commas; `*.example.com` is a host and all below it.
    A kind that is there is meant to be complete; one that is not was not declared.
    OpenClaw's `requires` (bins, env) counts with it.
    """
    if document is None:
        return {}
    found: dict[str, frozenset[str]] = {}
    for kind in ("hosts", "env", "programs"):
        if words := document.metadata(kind):
            found[kind] = frozenset(re.split(r"[\s,]+", words.strip()))
    required = _required(document)
    return {
        kind: names | required.get(kind, frozenset()) for kind, names in found.items()
    }


def _required(document: Document) -> dict[str, frozenset[str]]:
    """The requirements of OpenClaw and its kin, written as JSON or as YAML."""
    metadata = document.fields.get("metadata")
    if isinstance(metadata, str):
        try:
            metadata = json.loads(metadata)
        except ValueError:
            return {}
    found: dict[str, frozenset[str]] = {}
    for client in metadata.values() if isinstance(metadata, dict) else ():
        needs = client.get("requires") if isinstance(client, dict) else None
        for theirs, ours in (("env", "env"), ("bins", "programs")):
            names = needs.get(theirs) if isinstance(needs, dict) else None
            if isinstance(names, list) and names:
                found[ours] = frozenset(map(str, names))
    return found


def covers(names: Iterable[str], used: str) -> bool:
    """Whether a name was declared, itself or by `*.` before what it ends in."""
    return any(
        used == name or (name.startswith("*.") and f".{used}".endswith(name[1:]))
        for name in names
    )


@rule(_NOTE, category="capability")
def reaches_network(able: Capabilities) -> Iterator[RuleProblem]:
    """Which hosts a skill names. A note: to reach a service is what many skills do."""
    if able.hosts:
        yield _listed("it names", "host", able.hosts)


@rule(_NOTE, category="capability")
def reads_environment(able: Capabilities) -> Iterator[RuleProblem]:
    """Which variables of the environment a skill reads. A note."""
    if able.variables:
        yield _listed("it reads", "variable", able.variables)


@rule(_NOTE, category="capability")
def runs_programs(able: Capabilities) -> Iterator[RuleProblem]:
    """Which programs a skill runs: compilers, clients, shells. A note."""
    if able.programs:
        yield _listed("it runs", "program", able.programs)


@rule(_NOTE, category="capability")
def brings_scripts(able: Capabilities) -> Iterator[RuleProblem]:
    """Which scripts a skill brings along. A note."""
    if able.scripts:
        yield _listed("it brings", "script", able.scripts)


@rule(_NOTE, category="capability")
def granted_tools(able: Capabilities) -> Iterator[RuleProblem]:
    """Which tools a skill is granted without a question, by `allowed-tools`.

    A note. `Bash` or `Bash(*)` grants every command; `Bash(git:*)` only git's.
    """
    if able.tools:
        listed = _listed("it is granted", "tool", able.tools)
        wide = sorted(tool for tool in able.tools if _WIDE.fullmatch(tool))
        if wide:
            hint = f"{', '.join(wide)} grants every command; name those that are needed"
            listed = listed._replace(hint=hint)
        yield listed


def _listed(what: str, noun: str, names: frozenset[str]) -> RuleProblem:
    shown = sorted(names)[:20]
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    plural = "s" if len(names) > 1 else ""
    hint = "nothing to do: it is told for the review"
    return RuleProblem(
        f"{what} {len(names)} {noun}{plural}: {', '.join(shown)}{more}", hint
    )


POWERS = rules_in(globals())
