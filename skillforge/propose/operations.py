"""A batch of operations on skills, as agents send it: all of it becomes one draft.

The names are those of Hermes' `skill_manage`, in its batch form and its flat form.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from skillforge.checks import path_policy
from skillforge.errors import ConflictError, RequestError
from skillforge.gitrepo import GitRepo
from skillforge.history import readable_version
from skillforge.library import Library, no_such_skill
from skillforge.model import SKILL_FILE, SKILLS, Draft, DraftFile, Origin
from skillforge.propose.draft_source import refuse_paths
from skillforge.text import nearest, nearest_lines

MAX_OPERATIONS = 20
_NEEDS = {
    "create": ("content",),
    "edit": ("content",),
    "patch": ("old_string", "new_string"),
    "delete": (),
    "write_file": ("file_path", "file_content"),
    "remove_file": ("file_path",),
}
_TEXTS = (
    "action",
    "name",
    "content",
    "file_path",
    "file_content",
    "old_string",
    "new_string",
    "version",
    "absorbed_into",
    "category",
)
_OPTIONS = (
    "why",
    "examples",
    "origin",
    "session",
    "model",
    "bump",
    "draft",
    "supersede",
)


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing to do; `at` counts from 1, for messages."""

    at: int
    action: str
    name: str
    texts: Mapping[str, str]
    replace_all: bool = False

    def __getitem__(self, key: str) -> str:
        return self.texts.get(key, "")

    def wrong(self, why: str, hint: str = "") -> RequestError:
        hint = hint or "nothing was proposed; mend the operation and send all again"
        said = f"operation {self.at} ({self.action}): {why}"
        return RequestError(said, hint=hint, facts={"operation": self.at})


def read_batch(text: str) -> tuple[list[Operation], dict[str, Any]]:
    """The operations and options of a JSON text."""
    try:
        batch = json.loads(text)
    except (ValueError, RecursionError) as err:
        raise RequestError(
            f"standard input is not JSON: {err}",
            hint='send {"operations": [{"action": "create", "name": …, "content": …}]}',
        ) from err
    return understood(batch)


def understood(batch: Any) -> tuple[list[Operation], dict[str, Any]]:
    """The operations and options of a batch, or of one operation by itself."""
    if isinstance(batch, list):
        batch = {"operations": batch}
    rest = dict(batch) if isinstance(batch, dict) else {}
    if "action" in rest:
        options = {key: rest.pop(key) for key in _OPTIONS if key in rest}
        rest = {"operations": [rest], **options}
    operations = rest.pop("operations", None)
    if not isinstance(operations, list):
        raise RequestError(
            "there is no list of operations",
            hint='send {"operations": [{"action": "create", "name": …, "content": …}]}',
        )
    return read_operations(operations), _options(rest)


def read_operations(given: list[Any]) -> list[Operation]:
    if not 1 <= len(given) <= MAX_OPERATIONS:
        raise RequestError(
            f"a batch has 1 to {MAX_OPERATIONS} operations, not {len(given)}",
            hint="one proposal is about one skill; send the others separately",
        )
    return [_operation(at, item) for at, item in enumerate(given, 1)]


def _options(given: dict[str, Any]) -> dict[str, Any]:
    for key, value in given.items():
        if key not in _OPTIONS:
            meant = nearest(key, list(_OPTIONS)) or ", ".join(_OPTIONS)
            raise RequestError(
                f"there is no key {key!r} beside `operations`",
                hint=f"did you mean {meant}?",
            )
        kinds = {"examples": list, "draft": bool, "supersede": bool}
        if not isinstance(value, kinds.get(key, str)):
            kind = {"examples": "a list", "draft": "true or false"}.get(key, "text")
            raise RequestError(
                f"{key!r} has the wrong type", hint=f"it has to be {kind}"
            )
    choices = {"origin": list(Origin), "bump": readable_version.PARTS}
    for key, known in choices.items():
        if key in given and given[key] not in known:
            raise RequestError(
                f"there is no {key} {given[key]!r}", hint=f"use {', '.join(known)}"
            )
    if not all(isinstance(example, str) for example in given.get("examples", [])):
        raise RequestError("`examples` is a list of ids", hint="each of them is text")
    return given


def _operation(at: int, item: Any) -> Operation:
    action = item.get("action") if isinstance(item, dict) else None
    if not isinstance(action, str) or action not in _NEEDS:
        raise RequestError(
            f"operation {at} has no action that is known",
            hint=f"actions are {', '.join(_NEEDS)}",
        )
    texts = {key: value for key, value in item.items() if value is not None}
    replace_all = texts.pop("replace_all", False)
    operation = Operation(at, action, str(texts.get("name", "")), texts, replace_all)
    for key, value in texts.items():
        if key not in _TEXTS:
            meant = nearest(key, list(_TEXTS)) or ", ".join(_TEXTS)
            raise operation.wrong(f"there is no key {key!r}", f"keys are {meant}")
        if not isinstance(value, str):
            raise operation.wrong(f"`{key}` is not text")
    if not isinstance(replace_all, bool):
        raise operation.wrong("`replace_all` is true or false")
    if action == "patch" and "content" in texts and "old_string" not in texts:
        operation = replace(operation, action="edit")
    for key in ("name", *_NEEDS[operation.action]):
        if key not in texts:
            raise operation.wrong(f"`{key}` is missing")
    if not path_policy.is_name(operation.name):
        raise operation.wrong(f"{operation.name!r} cannot be a skill's name")
    return operation


@dataclass
class _Batch:
    """The skills of a batch while it is worked through."""

    library: Library
    base: str
    files: dict[str, dict[str, DraftFile]] = field(default_factory=dict)
    deleted: dict[str, str] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)

    def open(self, name: str) -> dict[str, DraftFile]:
        if name not in self.files:
            self.files[name] = self.library.files_at(self.base, name)
        return self.files[name]

    @property
    def repo(self) -> GitRepo:
        return self.library.repository()


def draft_of(library: Library, base: str, operations: Iterable[Operation]) -> Draft:
    """Work through a batch on the skills as they are at a commit."""
    batch = _Batch(library, base)
    for operation in operations:
        if operation.name in batch.deleted or (
            operation.action == "delete" and operation.name in batch.touched
        ):
            raise operation.wrong("delete has to be the only operation on its skill")
        _ACTIONS[operation.action](batch, operation)
        batch.touched.add(operation.name)
    return _draft(batch)


def _draft(batch: _Batch) -> Draft:
    kept = [name for name in batch.files if name not in batch.deleted]
    if len(kept) > 1 or (not kept and len(batch.deleted) > 1):
        raise RequestError(
            f"the batch is about several skills: {', '.join(sorted(batch.touched))}",
            hint="one proposal is about one skill; or delete with `absorbed_into` what "
            "another skill of the batch takes the place of",
        )
    if not kept:
        [(gone, into)] = batch.deleted.items()
        _refuse_unknown(batch, into)
        return Draft(gone, absorbed_into=into)
    [name] = kept
    for gone, into in batch.deleted.items():
        if into != name:
            raise RequestError(
                f"the batch is about {name}, and deletes {gone} as well",
                hint=f"send it separately, or with `absorbed_into: {name}`",
            )
    refuse_paths(name, batch.files[name])
    return Draft(name, batch.files[name], absorbed=tuple(sorted(batch.deleted)))


def _refuse_unknown(batch: _Batch, into: str) -> None:
    if into and not batch.repo.name_of(f"{batch.base}:{SKILLS}/{into}/{SKILL_FILE}"):
        raise RequestError(
            f"`absorbed_into` names {into}, which is no skill of the library",
            hint="create it in the same batch, or name one that is there",
        )


def _create(batch: _Batch, operation: Operation) -> None:
    if batch.open(operation.name):
        raise ConflictError(
            f"the skill {operation.name} exists already",
            hint="use `edit` or `patch` to change it",
        )
    batch.files[operation.name] = {SKILL_FILE: _text(operation, "content")}


def _edit(batch: _Batch, operation: Operation) -> None:
    files = _existing(batch, operation)
    was = files.get(SKILL_FILE, DraftFile(b""))
    files[SKILL_FILE] = was._replace(data=_text(operation, "content").data)


def _patch(batch: _Batch, operation: Operation) -> None:
    files = _existing(batch, operation)
    path = operation["file_path"] or SKILL_FILE
    file = _file_of(files, path, operation)
    seen = (
        file.data if operation.name in batch.touched else _seen(batch, operation, path)
    )
    _count(seen, path, operation)
    if seen != file.data:
        _count(file.data, path, operation)
    old, new = _bytes(operation, "old_string"), _bytes(operation, "new_string")
    files[path] = file._replace(data=file.data.replace(old, new))


def _seen(batch: _Batch, operation: Operation, path: str) -> bytes:
    """The file in the version that the caller has read; by default the current one."""
    version = operation["version"]
    if not version:
        return batch.files[operation.name][path].data
    kinds = {
        "tree": f"{version}:{path}",
        "blob": version,
        "commit": f"{version}:{SKILLS}/{operation.name}/{path}",
    }
    named = batch.repo.find(version) if version.isalnum() else None
    found = batch.repo.find(kinds.get(named.kind, "")) if named else None
    if found is None or found.kind != "blob":
        raise operation.wrong(
            f"there is no version {version!r} with {path}",
            f"a version is a git tree hash; skillforge log {operation.name} lists them",
        )
    return found.data


def _count(data: bytes, path: str, operation: Operation) -> None:
    """The text to be replaced is there once, or as often as may be if that is asked."""
    old = _bytes(operation, "old_string")
    if not old:
        raise operation.wrong("`old_string` is empty")
    found = data.count(old)
    if found == 1 or (found and operation.replace_all):
        return
    if found:
        raise operation.wrong(
            f"`old_string` is {found} times in {path}",
            "take in more of the text around it, or set `replace_all`",
        )
    text = data.decode("utf-8", "replace")
    line, near = nearest_lines(text, operation["old_string"])
    raise operation.wrong(
        f"`old_string` is not in {path}; the nearest text is line {line}: {near!r}",
        "copy the text exactly as it stands there",
    )


def _delete(batch: _Batch, operation: Operation) -> None:
    _existing(batch, operation)
    if operation["absorbed_into"] and not path_policy.is_name(
        operation["absorbed_into"]
    ):
        raise operation.wrong("`absorbed_into` cannot be a skill's name")
    batch.deleted[operation.name] = operation["absorbed_into"]


def _write_file(batch: _Batch, operation: Operation) -> None:
    files = _existing(batch, operation)
    path = operation["file_path"]
    if why := path_policy.refusal(path):
        raise operation.wrong(f"the path {path!r} is not taken: {why}")
    data = _bytes(operation, "file_content")
    was = files.get(path, DraftFile(b"", data.startswith(b"#!")))
    files[path] = was._replace(data=data)


def _remove_file(batch: _Batch, operation: Operation) -> None:
    files = _existing(batch, operation)
    path = operation["file_path"]
    _file_of(files, path, operation)
    if path == SKILL_FILE:
        raise operation.wrong("a skill without SKILL.md is none", "use `delete`")
    del files[path]


def _existing(batch: _Batch, operation: Operation) -> dict[str, DraftFile]:
    if files := batch.open(operation.name):
        return files
    known = batch.library.skill_trees(batch.base)
    hint = "use `create` for a new one"
    error = no_such_skill(operation.name, known, "the library", hint)
    raise operation.wrong(error.message, error.hint)


def _file_of(files: dict[str, DraftFile], path: str, operation: Operation) -> DraftFile:
    if path in files:
        return files[path]
    raise operation.wrong(
        f"there is no file {path!r} in {operation.name}",
        f"there are {', '.join(sorted(files))}",
    )


def _text(operation: Operation, key: str) -> DraftFile:
    return DraftFile(_bytes(operation, key))


def _bytes(operation: Operation, key: str) -> bytes:
    try:
        return operation[key].encode()
    except UnicodeEncodeError as err:
        raise operation.wrong(f"`{key}` is not text that can be written") from err


_ACTIONS: dict[str, Callable[[_Batch, Operation], None]] = {
    "create": _create,
    "edit": _edit,
    "patch": _patch,
    "delete": _delete,
    "write_file": _write_file,
    "remove_file": _remove_file,
}
