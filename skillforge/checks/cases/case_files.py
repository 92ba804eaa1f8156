"""The YAML files of a skill's `tests/` folder, read as cases to run."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from skillforge.checks.cases.expectations import unusable, wanted_files
from skillforge.model import FileKind, Skill, Trial, TrialOutcome
from skillforge.sandbox import ROOT, SKILL_DIR
from skillforge.schema_errors import (
    Loaded,
    SchemaMismatch,
    YamlFileError,
    as_text,
    load_yaml,
    misfit,
)

TESTS = "tests"
FIXTURES = f"{TESTS}/fixtures"
REPLAY = f"{TESTS}/replay.yaml"
_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SKILL = re.compile(r"\$(?:SKILL_DIR\b|\{SKILL_DIR\})")
_MOST_PARTS = 20  # of a path
_MOST_BYTES = 4 << 20  # of all input files of a case, and of a filled template


@dataclass(frozen=True, slots=True)
class Case:
    """A command to run, and the expected result.

    `is_from_table` is true for a row of variants and for a held-out example, which show
    that a skill handles more than one input. `runner` runs the tests of a file.
    """

    name: str
    path: str
    argv: tuple[str, ...]
    line: int = 1
    stdin: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    timeout: float | None = None
    expect: Mapping[str, Any] = field(default_factory=dict)
    is_from_table: bool = False
    runner: str = ""
    decoy: Mapping[str, Any] | None = (
        None  # the same with another answer: it has to fail
    )


class BadCaseError(Exception):
    """A case that cannot be read, and is not run."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line
        self.why = why


def case_files(skill: Skill) -> list[str]:
    """The YAML files that contain cases."""
    return [
        path
        for path in sorted(skill.files)
        if is_in_tests(path) and path.endswith((".yaml", ".yml")) and path != REPLAY
    ]


def is_in_tests(path: str) -> bool:
    """Whether a file is directly in `tests/`, where cases are."""
    return PurePosixPath(path).parent.as_posix() == TESTS


def read_cases(skill: Skill) -> Iterator[Case | Trial]:
    """The cases of the YAML files; an unreadable one is a failed trial."""
    for path in case_files(skill):
        try:
            loaded = read_yaml(skill, path)
        except BadCaseError as err:
            yield broken(skill, path, err.line, err.why)
            continue
        is_list = isinstance(loaded.value, list)
        if is_list and not loaded.value:
            yield broken(
                skill, path, 1, "the file is empty; a case needs at least `run`"
            )
        for at, raw in enumerate(loaded.value if is_list else [loaded.value]):
            where = [at] if is_list else []
            try:
                if wrong := misfit(raw, "case.schema.json", "$defs/case"):
                    line = loaded.line_of([*where, *wrong.path])
                    raise BadCaseError(line, _explained(wrong, raw))
                yield from _rows(skill, path, loaded.line_of(where), raw)
            except BadCaseError as err:
                yield broken(skill, path, err.line, err.why)


def read_yaml(skill: Skill, path: str) -> Loaded:
    """A YAML file of a skill; raises `BadCaseError`."""
    if skill.files[path].kind not in (FileKind.FILE, FileKind.EXECUTABLE):
        raise BadCaseError(1, "a link, not a file")
    try:
        loaded = load_yaml(skill.read(path))
    except YamlFileError as err:
        raise BadCaseError(err.line, err.why) from err
    except OSError as err:
        raise BadCaseError(1, f"cannot be read: {err.strerror}") from err
    if loaded.value is None:
        raise BadCaseError(1, "the file is empty; a case needs at least `run`")
    return loaded


def _explained(wrong: SchemaMismatch, raw: Any) -> str:
    """The schema error as text; explains a key of `expect` at the wrong level."""
    below = ("exit", "stdout", "stderr", "connects")
    if isinstance(raw, dict) and wrong.path and wrong.path[0] in below:
        return f"`{wrong.path[0]}` belongs below `expect`; indent it"
    return wrong.words


def broken(skill: Skill, path: str, line: int, why: str) -> Trial:
    return Trial(skill.name, path, TrialOutcome.ERROR, 0.0, why, path, line)


def _rows(
    skill: Skill, path: str, line: int, raw: dict[str, Any]
) -> Iterator[Case | Trial]:
    """The case itself, or a case for each of its variants."""
    name = raw.get("name", PurePosixPath(path).stem)
    rows = raw.get("variants")
    template = {key: value for key, value in raw.items() if key != "variants"}
    used = set(placeholders(template))
    if rows is None:
        if used:
            why = f"`{{{{ {min(used)} }}}}` needs `variants`"
            raise BadCaseError(line, why)
        yield make(skill, path, line, template, name)
        return
    for at, row in enumerate(rows, 1):
        if idle := [key for key in row if key != "name" and key not in used]:
            raise BadCaseError(line, f"variant {at}: nothing uses its `{idle[0]}`")
        pairs = (f"{key}={as_text(value)}"[:40] for key, value in row.items())
        shown = row.get("name", ", ".join(pairs))
        filled = fill(template, row, line)
        changed = filled != template
        if changed and (wrong := misfit(filled, "case.schema.json", "$defs/case")):
            raise BadCaseError(line, f"variant {at}: {wrong.words}")
        title = str(filled.get("name", name))
        label = f"{title} [{at}: {shown}]"
        yield make(skill, path, line, filled, label, is_from_table=True)


def make(  # noqa: PLR0913 - what a case is made of
    skill: Skill,
    path: str,
    line: int,
    raw: Mapping[str, Any],
    name: str,
    *,
    is_from_table: bool = False,
) -> Case:
    """A case from an entry that conforms to the schema."""
    run, expect = raw["run"], raw.get("expect", {})
    if why := _impossible(raw) or unusable(expect):
        raise BadCaseError(line, why)
    argv = ("sh", "-ec", run) if isinstance(run, str) else tuple(map(_argument, run))
    return Case(
        " ".join(name.split())[:200],
        path,
        argv,
        line,
        as_text(raw.get("stdin", "")).encode("utf-8", "replace"),
        _input_files(skill, line, raw.get("files", {})),
        {str(key): as_text(value) for key, value in raw.get("env", {}).items()},
        raw.get("timeout"),
        expect,
        is_from_table,
    )


def _impossible(raw: Mapping[str, Any]) -> str:
    """Why a case cannot be run; empty if it can be."""
    run = raw["run"]
    words = [run] if isinstance(run, str) else run
    texts = [as_text(word) for word in (*words, *raw.get("env", {}).values())]
    if any("\0" in word for word in texts):
        return "a command can't contain a NUL"
    if "=" in texts[0] and not isinstance(run, str):
        return f"`{texts[0]}` is not a program"
    if odd := [name for name in raw.get("env", {}) if not _VARIABLE.fullmatch(name)]:
        return f"env: {odd[0]!r} is not a valid name of a variable"
    if outside := [p for p in wanted_files(raw.get("expect", {})) if not is_inside(p)]:
        return f"expect.files: `{outside[0]}` is not a path in a folder"
    if "HOME" in raw.get("env", {}):
        return "env: the sandbox sets HOME; write files in the working folder"
    return ""


def _argument(value: Any) -> str:
    """An argument in which `$SKILL_DIR` is replaced, as by a shell."""
    return _SKILL.sub(ROOT + SKILL_DIR, as_text(value))


def _input_files(
    skill: Skill, line: int, entries: Mapping[str, Any]
) -> dict[str, bytes]:
    """The input files of a case, inline or from fixtures."""
    files: dict[str, bytes] = {}
    for path, content in entries.items():
        if not is_inside(str(path)):
            raise BadCaseError(line, f"files: `{path}` is not a path in a folder")
        if isinstance(content, dict):
            files[str(path)] = _fixture(skill, line, content["from"])
        else:
            files[str(path)] = as_text(content).encode("utf-8", "surrogateescape")
    if clash := next((p for p in files if _parents(p) & files.keys()), ""):
        raise BadCaseError(line, f"files: `{clash}` is below a file")
    if sum(map(len, files.values())) > _MOST_BYTES:
        raise BadCaseError(line, f"files: more than {_MOST_BYTES >> 20} MB")
    return files


def is_inside(path: str) -> bool:
    """Whether a path is relative and stays in its folder."""
    parts = path.split("/")
    return (
        {"", ".", ".."}.isdisjoint(parts)
        and "\0" not in path
        and len(parts) <= _MOST_PARTS
        and all(len(part.encode("utf-8", "replace")) <= 255 for part in parts)
    )


def _parents(path: str) -> set[str]:
    return {parent.as_posix() for parent in PurePosixPath(path).parents}


def _fixture(skill: Skill, line: int, name: str) -> bytes:
    path = f"{TESTS}/{name}" if name.startswith("fixtures/") else f"{FIXTURES}/{name}"
    file = skill.files.get(path)
    if file is None or file.kind not in (FileKind.FILE, FileKind.EXECUTABLE):
        raise BadCaseError(line, f"files: no such file: {path}")
    if file.size > _MOST_BYTES:
        raise BadCaseError(line, f"files: {path} has more than {_MOST_BYTES >> 20} MB")
    return skill.read(path)


def fill(value: Any, values: Mapping[str, Any], line: int) -> Any:
    """Replace `{{ name }}` with its value, which keeps its type if it is alone."""
    if isinstance(value, str):
        if alone := _PLACEHOLDER.fullmatch(value.strip()):
            return _look_up(values, alone[1], line)
        names = _PLACEHOLDER.findall(value)
        size = sum(len(as_text(_look_up(values, name, line))) for name in names)
        if size > _MOST_BYTES:
            raise BadCaseError(
                line, f"with its values filled in, it has more than {_MOST_BYTES} bytes"
            )
        return _PLACEHOLDER.sub(
            lambda match: as_text(_look_up(values, match[1], line)), value
        )
    if isinstance(value, list):
        return [fill(item, values, line) for item in value]
    if isinstance(value, dict):
        return {
            as_text(fill(key, values, line)): fill(item, values, line)
            for key, item in value.items()
        }
    return value


def placeholders(value: Any) -> Iterator[str]:
    """The first part of each `{{ name.of.value }}` in a case."""
    if isinstance(value, str):
        yield from (name.partition(".")[0] for name in _PLACEHOLDER.findall(value))
    elif isinstance(value, list | dict):
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        for item in parts:
            yield from placeholders(item)


def _look_up(values: Any, path: str, line: int) -> Any:
    value = values
    for part in path.split("."):
        if isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, Mapping) and part in value:
            value = value[part]
        else:
            known = ", ".join(map(str, values)) or "nothing"
            raise BadCaseError(
                line, f"unknown value `{{{{ {path} }}}}`; known: {known}"
            )
    return value


def mentions(case: Case, words: Iterable[str]) -> bool:
    """Whether a case's command names one of these."""
    command = " ".join(case.argv)
    return any(word in command for word in words)
