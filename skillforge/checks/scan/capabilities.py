"""The capabilities of a skill, reported as notes for the reviewer."""

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
from skillforge.report import plural

_NOTE = Severity.NOTE
_VARIABLE = re.compile(
    r"\$\{?([A-Z][A-Z0-9_]{2,60})\b|(?:environ(?:\.get)?\s?[\[(]|getenv\()"
    r"\s?[\"']([A-Z][A-Z0-9_]{2,60})[\"']"
    r"|process\.env\.([A-Z][A-Z0-9_]{2,60})|\$env:([A-Z][A-Z0-9_]{2,60})"
)
_SET = re.compile(
    r"^[ \t]*(?:export\s+|local\s+|readonly\s+)?([A-Z][A-Z0-9_]{2,60})=", re.MULTILINE
)
_USUAL = (
    "HOME", "PATH", "PWD", "USER", "SHELL", "TMPDIR", "TMP", "TEMP", "LANG", "TERM",
    "EDITOR", "PAGER", "HOSTNAME", "OLDPWD", "IFS", "RANDOM", "BASH_SOURCE",
    "BASH_VERSION", "PYTHONPATH", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
    "CLAUDE_PLUGIN_ROOT", "CLAUDE_SKILL_DIR", "ARGUMENTS", "LINENO", "PPID",
    "SECONDS", "UID", "EUID",
)  # fmt: skip
_PROGRAMS = (
    "curl", "wget", "ssh", "scp", "rsync", "sftp", "ftp", "nc", "ncat", "git", "gh",
    "glab", "hg", "svn", "docker", "podman", "kubectl", "helm", "terraform", "aws",
    "gcloud", "az", "npm", "npx", "pnpm", "yarn", "bun", "bunx", "pip", "pip3",
    "pipx", "uv", "uvx", "cargo", "go", "brew", "apt", "apt-get", "yum", "dnf",
    "pacman", "choco", "winget", "psql", "mysql", "sqlite3", "redis-cli", "mongosh",
    "openssl", "gpg", "sudo", "su", "systemctl", "launchctl", "crontab",
    "osascript", "open", "xdg-open", "ffmpeg", "node", "deno", "python", "python3",
    "ruby", "perl", "php", "java", "make", "sed", "awk", "rm", "chmod", "chown",
    "kill", "tar", "zip", "unzip",
)  # fmt: skip
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
    """The hosts, variables, programs, tools and scripts that a skill uses."""

    hosts: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    scripts: frozenset[str] = frozenset()

    def named(self) -> Iterator[str]:
        """All of them with their kind, such as `network api.example.com`."""
        for kind, names in (
            ("tool", self.tools),
            ("script", self.scripts),
            ("network", self.hosts),
            ("environment", self.variables),
            ("program", self.programs),
        ):
            yield from (f"{kind} {name}" for name in sorted(names))


def capabilities(skill: Skill, matches: ScanMatches) -> Capabilities:
    """The capabilities of a skill, as far as its text shows them."""
    code = [
        segment
        for segment in matches.segments
        if segment.view is SegmentView.CODE and segment.language != "strings"
    ]
    return Capabilities(
        frozenset(
            link.link.host
            for link in matches.links
            if link.link and link.kind is not Host.LOCAL
        ),
        frozenset(_variables(code)),
        frozenset(_programs(code)),
        frozenset(tools(skill.document)),
        frozenset(_scripts(skill)),
    )


def tools(document: Document | None) -> Iterator[str]:
    """The tools that `allowed-tools` grants, as a list or a text."""
    granted = document.fields.get("allowed-tools", "") if document else ""
    words = (
        granted
        if isinstance(granted, list)
        else re.split(r"[\s,]+(?![^(]*\))", str(granted))
    )
    yield from (str(word) for word in words if str(word).strip())


def _variables(code: Iterable[Segment]) -> Iterator[str]:
    for segment in code:
        if "$" not in segment.raw and "env" not in segment.raw:
            continue
        own = {*_SET.findall(segment.raw), *_USUAL}
        for match in _VARIABLE.finditer(segment.raw):
            name = next(filter(None, match.groups()))
            if name not in own:
                yield name


def _programs(code: Iterable[Segment]) -> Iterator[str]:
    for segment in code:
        if segment.language in _SHELL:
            yield from _COMMAND.findall(segment.text)


def _scripts(skill: Skill) -> Iterator[str]:
    for path, file in skill.files.items():
        if file.kind is FileKind.EXECUTABLE or _SCRIPT.fullmatch(path):
            yield path


def declared(document: Document | None) -> dict[str, frozenset[str]]:
    """The names that a skill declares in `metadata.hosts`, `.env` and `.programs`.

    Spaces or commas separate names; `*.example.com` is a host and all its subdomains.
    OpenClaw's `requires` (bins, env) adds to a kind that is declared.
    """
    if document is None:
        return {}
    names_by_kind: dict[str, frozenset[str]] = {}
    for kind in ("hosts", "env", "programs"):
        if words := document.metadata(kind):
            names_by_kind[kind] = frozenset(re.split(r"[\s,]+", words.strip()))
    required = _required(document)
    return {
        kind: names | required.get(kind, frozenset())
        for kind, names in names_by_kind.items()
    }


def _required(document: Document) -> dict[str, frozenset[str]]:
    """The requirements of OpenClaw and similar clients, as JSON or YAML."""
    metadata = document.fields.get("metadata")
    if isinstance(metadata, str):
        try:
            metadata = json.loads(metadata)
        except ValueError:
            return {}
    required: dict[str, frozenset[str]] = {}
    for client in metadata.values() if isinstance(metadata, dict) else ():
        needs = client.get("requires") if isinstance(client, dict) else None
        for key, kind in (("env", "env"), ("bins", "programs")):
            names = needs.get(key) if isinstance(needs, dict) else None
            if isinstance(names, list) and names:
                required[kind] = frozenset(map(str, names))
    return required


def covers(names: Iterable[str], used: str) -> bool:
    """Whether a name is declared, literally or by a pattern such as `*.example.com`."""
    return any(
        used == name or (name.startswith("*.") and f".{used}".endswith(name[1:]))
        for name in names
    )


@rule(_NOTE, category="capability")
def reaches_network(able: Capabilities) -> Iterator[RuleProblem]:
    """The hosts that a skill names. A note: many skills use a service."""
    return _listed("names", "host", able.hosts)


@rule(_NOTE, category="capability")
def reads_environment(able: Capabilities) -> Iterator[RuleProblem]:
    """The environment variables that a skill reads. A note."""
    return _listed("reads", "variable", able.variables)


@rule(_NOTE, category="capability")
def runs_programs(able: Capabilities) -> Iterator[RuleProblem]:
    """The programs that a skill runs: compilers, clients, shells. A note."""
    return _listed("runs", "program", able.programs)


@rule(_NOTE, category="capability")
def brings_scripts(able: Capabilities) -> Iterator[RuleProblem]:
    """The scripts that a skill contains and may run. A note."""
    return _listed("contains", "script", able.scripts)


@rule(_NOTE, category="capability")
def granted_tools(able: Capabilities) -> Iterator[RuleProblem]:
    """The tools that a skill may use without asking, by `allowed-tools`.

    A note. `Bash` or `Bash(*)` grants every command; `Bash(git:*)` only git's.
    """
    wide = sorted(tool for tool in able.tools if _WIDE.fullmatch(tool))
    hint = f"{', '.join(wide)} grants every command; list the ones needed"
    return _listed("is granted", "tool", able.tools, hint if wide else "")


def _listed(
    what: str, noun: str, names: frozenset[str], hint: str = ""
) -> Iterator[RuleProblem]:
    if names:
        shown = ", ".join(sorted(names)[:20])
        more = f" and {len(names) - 20} more" if len(names) > 20 else ""
        hint = hint or "no action needed; this is for the reviewer"
        yield RuleProblem(f"{what} {plural(len(names), noun)}: {shown}{more}", hint)


CAPABILITIES = rules_in(globals())
