"""A batch of operations on skills, as agents send it: the whole batch is one draft.

The names are those of Hermes' `skill_manage`, in its batch form and its flat form.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from skillforge.checks import path_policy
from skillforge.errors import ConflictError, RequestError
from skillforge.history import readable_version
from skillforge.library import Library, no_such_skill
from skillforge.model import SKILL_FILE, Draft, DraftFile, Origin
from skillforge.propose.draft_source import refuse_paths
from skillforge.text import nearest, nearest_lines

MAX_OPERATIONS = 20
_REQUIRED = {
    "create": ("content",),
    "edit": ("content",),
    "patch": ("old_string", "new_string"),
    "delete": (),
    "write_file": ("file_path", "file_content"),
    "remove_file": ("file_path",),
}
_TEXTS = (
    "action", "name", "content", "file_path", "file_content", "old_string",
    "new_string", "version", "absorbed_into", "category",
)  # fmt: skip
_OPTIONS = (
    "why", "examples", "origin", "session", "model", "bump", "draft", "supersede",
)  # fmt: skip
_OPTION_TYPES = {
    "examples": (list, "a list"),
    "draft": (bool, "true or false"),
    "supersede": (bool, "true or false"),
}
_USAGE = 'send {"operations": [{"action": "create", "name": …, "content": …}]}'


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation; `at` counts from 1, for messages."""

    at: int
    action: str
    name: str
    texts: Mapping[str, str]
    replace_all: bool = False

    def __getitem__(self, key: str) -> str:
        return self.texts.get(key, "")

    def data(self, key: str) -> bytes:
        try:
            return self[key].encode()
        except UnicodeEncodeError as err:
            raise self.error(f"`{key}` is not valid Unicode") from err

    def error(self, why: str, hint: str = "") -> RequestError:
        hint = hint or "nothing was proposed; fix the operation and send all again"
        message = f"operation {self.at} ({self.action}): {why}"
        return RequestError(message, hint=hint, facts={"operation": self.at})


def read_batch(text: str) -> tuple[list[Operation], dict[str, Any]]:
    """The operations and options in a JSON text."""
    try:
        batch = json.loads(text)
    except (ValueError, RecursionError) as err:
        raise RequestError(f"standard input is not JSON: {err}", hint=_USAGE) from err
    return parse_batch(batch)


def parse_batch(batch: Any) -> tuple[list[Operation], dict[str, Any]]:
    """The operations and options of a batch, or of a single operation."""
    if isinstance(batch, list):
        batch = {"operations": batch}
    rest = dict(batch) if isinstance(batch, dict) else {}
    if "action" in rest:
        options = {key: rest.pop(key) for key in _OPTIONS if key in rest}
        rest = {"operations": [rest], **options}
    items = rest.pop("operations", None)
    if not isinstance(items, list):
        raise RequestError("the list `operations` is missing", hint=_USAGE)
    if not 1 <= len(items) <= MAX_OPERATIONS:
        raise RequestError(
            f"a batch has 1 to {MAX_OPERATIONS} operations, not {len(items)}",
            hint="a proposal changes one skill; send the others separately",
        )
    operations = [_parse_operation(at, item) for at, item in enumerate(items, 1)]
    _check_options(rest)
    return operations, rest


def _check_options(options: dict[str, Any]) -> None:
    for key, value in options.items():
        if key not in _OPTIONS:
            suggestion = nearest(key, list(_OPTIONS)) or ", ".join(_OPTIONS)
            raise RequestError(
                f"unknown key {key!r} next to `operations`",
                hint=f"did you mean {suggestion}?",
            )
        kind, description = _OPTION_TYPES.get(key, (str, "text"))
        if not isinstance(value, kind):
            raise RequestError(
                f"{key!r} has the wrong type", hint=f"it must be {description}"
            )
    choices = {"origin": list(Origin), "bump": readable_version.PARTS}
    for key, known in choices.items():
        if key in options and options[key] not in known:
            raise RequestError(
                f"unknown {key} {options[key]!r}", hint=f"use {', '.join(known)}"
            )
    if not all(isinstance(example, str) for example in options.get("examples", [])):
        raise RequestError("`examples` is a list of ids", hint="each id is text")


def _parse_operation(at: int, item: Any) -> Operation:
    action = item.get("action") if isinstance(item, dict) else None
    if not isinstance(action, str) or action not in _REQUIRED:
        raise RequestError(
            f"operation {at} has an unknown action",
            hint=f"actions are {', '.join(_REQUIRED)}",
        )
    texts = {key: value for key, value in item.items() if value is not None}
    replace_all = texts.pop("replace_all", False)
    operation = Operation(at, action, str(texts.get("name", "")), texts, replace_all)
    for key, value in texts.items():
        if key not in _TEXTS:
            suggestion = nearest(key, list(_TEXTS)) or ", ".join(_TEXTS)
            raise operation.error(f"unknown key {key!r}", f"keys are {suggestion}")
        if not isinstance(value, str):
            raise operation.error(f"`{key}` is not text")
    if not isinstance(replace_all, bool):
        raise operation.error("`replace_all` is true or false")
    if action == "patch" and "content" in texts and "old_string" not in texts:
        operation = replace(operation, action="edit")
    for key in ("name", *_REQUIRED[operation.action]):
        if key not in texts:
            raise operation.error(f"`{key}` is missing")
    if not path_policy.is_skill_name(operation.name):
        raise operation.error(f"{operation.name!r} is not a valid skill name")
    return operation


@dataclass
class _Batch:
    """The skills of a batch while its operations are applied."""

    library: Library
    base: str
    files: dict[str, dict[str, DraftFile]] = field(default_factory=dict)
    deleted: dict[str, str] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)

    def load(self, name: str) -> dict[str, DraftFile]:
        if name not in self.files:
            self.files[name] = self.library.files_at(self.base, name)
        return self.files[name]

    def existing(self, operation: Operation) -> dict[str, DraftFile]:
        """The files of the operation's skill, which must exist."""
        if files := self.load(operation.name):
            return files
        known = self.library.skill_trees(self.base)
        hint = "use `create` for a new one"
        error = no_such_skill(operation.name, known, "the library", hint)
        raise operation.error(error.message, error.hint)


def with_full_names(
    library: Library, operations: Iterable[Operation]
) -> list[Operation]:
    """Operations that name skills as the library does: agents know their folders."""
    new: dict[str, str] = {}
    named = []
    for operation in operations:
        name = operation.name
        if operation.action == "create":
            new[name] = _new_name(library, name, operation["category"])
        full = new.get(name) or library.full_name(name)
        named.append(replace(operation, name=full))
    return named


def _new_name(library: Library, name: str, category: str) -> str:
    layout, in_category = library.layout, f"{category}/{name}"
    is_placed = bool(category) and layout.has_name(in_category)
    return in_category if is_placed else layout.name_of(name) or name


def draft_of(library: Library, base: str, operations: Iterable[Operation]) -> Draft:
    """Apply a batch to the skills of a commit."""
    batch = _Batch(library, base)
    for operation in with_full_names(library, operations):
        if operation.name in batch.deleted or (
            operation.action == "delete" and operation.name in batch.touched
        ):
            raise operation.error("delete must be the only operation on its skill")
        _ACTIONS[operation.action](batch, operation)
        batch.touched.add(operation.name)
    return _draft(batch)


def _draft(batch: _Batch) -> Draft:
    names = [name for name in batch.files if name not in batch.deleted]
    if len(names) > 1 or (not names and len(batch.deleted) > 1):
        raise RequestError(
            f"the batch changes several skills: {', '.join(sorted(batch.touched))}",
            hint="a proposal changes one skill; to replace a skill by another one of "
            "the batch, delete it with `absorbed_into`",
        )
    if not names:
        [(deleted, into)] = batch.deleted.items()
        _refuse_unknown(batch, into)
        return Draft(deleted, absorbed_into=into)
    [name] = names
    for deleted, into in batch.deleted.items():
        if into != name:
            raise RequestError(
                f"the batch changes {name}, and also deletes {deleted}",
                hint=f"send it separately, or with `absorbed_into: {name}`",
            )
    refuse_paths(batch.library.layout, name, batch.files[name])
    return Draft(name, batch.files[name], absorbed=tuple(sorted(batch.deleted)))


def _refuse_unknown(batch: _Batch, name: str) -> None:
    path = f"{batch.base}:{batch.library.path_of(name)}/{SKILL_FILE}"
    if name and not batch.library.repository().name_of(path):
        raise RequestError(
            f"`absorbed_into` names {name}, which is not a skill of the library",
            hint="create it in the same batch, or name an existing skill",
        )


def _create(batch: _Batch, operation: Operation) -> None:
    if batch.load(operation.name):
        raise ConflictError(
            f"the skill {operation.name} already exists",
            hint="use `edit` or `patch` to change it",
        )
    batch.files[operation.name] = {SKILL_FILE: DraftFile(operation.data("content"))}


def _edit(batch: _Batch, operation: Operation) -> None:
    files = batch.existing(operation)
    before = files.get(SKILL_FILE, DraftFile(b""))
    files[SKILL_FILE] = before._replace(data=operation.data("content"))


def _patch(batch: _Batch, operation: Operation) -> None:
    files = batch.existing(operation)
    path = operation["file_path"] or SKILL_FILE
    file = _file_of(files, path, operation)
    is_first = operation.name not in batch.touched
    known = _version_read(batch, operation, path) if is_first else file.data
    _check_match(known, path, operation)
    if known != file.data:
        _check_match(file.data, path, operation)
    old, new = operation.data("old_string"), operation.data("new_string")
    files[path] = file._replace(data=file.data.replace(old, new))


def _version_read(batch: _Batch, operation: Operation, path: str) -> bytes:
    """The file in the version that the caller has read; by default the current one."""
    version = operation["version"]
    if not version:
        return batch.files[operation.name][path].data
    expressions = {
        "tree": f"{version}:{path}",
        "blob": version,
        "commit": f"{version}:{batch.library.path_of(operation.name)}/{path}",
    }
    repo = batch.library.repository()
    named = repo.find(version) if version.isalnum() else None
    file = repo.find(expressions.get(named.kind, "")) if named else None
    if file is None or file.kind != "blob":
        raise operation.error(
            f"no version {version!r} has {path}",
            f"a version is a git tree hash; skillforge log {operation.name} lists them",
        )
    return file.data


def _check_match(data: bytes, path: str, operation: Operation) -> None:
    """Raise unless the old text occurs once, or several times with `replace_all`."""
    old = operation.data("old_string")
    if not old:
        raise operation.error("`old_string` is empty")
    count = data.count(old)
    if count == 1 or (count and operation.replace_all):
        return
    if count:
        raise operation.error(
            f"`old_string` occurs {count} times in {path}",
            "include more of the text around it, or set `replace_all`",
        )
    text = data.decode("utf-8", "replace")
    line, near = nearest_lines(text, operation["old_string"])
    raise operation.error(
        f"`old_string` is not in {path}; the nearest text is line {line}: {near!r}",
        "copy the text exactly from the file",
    )


def _delete(batch: _Batch, operation: Operation) -> None:
    batch.existing(operation)
    into = operation["absorbed_into"]
    if into and not path_policy.is_skill_name(into):
        raise operation.error("`absorbed_into` is not a valid skill name")
    batch.deleted[operation.name] = into


def _write_file(batch: _Batch, operation: Operation) -> None:
    files = batch.existing(operation)
    path = operation["file_path"]
    if why := path_policy.refusal(path):
        raise operation.error(f"the path {path!r} is not allowed: {why}")
    data = operation.data("file_content")
    before = files.get(path, DraftFile(b"", data.startswith(b"#!")))
    files[path] = before._replace(data=data)


def _remove_file(batch: _Batch, operation: Operation) -> None:
    files = batch.existing(operation)
    path = operation["file_path"]
    _file_of(files, path, operation)
    if path == SKILL_FILE:
        raise operation.error("a skill needs its SKILL.md", "use `delete`")
    del files[path]


def _file_of(files: dict[str, DraftFile], path: str, operation: Operation) -> DraftFile:
    if path in files:
        return files[path]
    raise operation.error(
        f"no file {path!r} in {operation.name}",
        f"its files are {', '.join(sorted(files))}",
    )


_ACTIONS: dict[str, Callable[[_Batch, Operation], None]] = {
    "create": _create,
    "edit": _edit,
    "patch": _patch,
    "delete": _delete,
    "write_file": _write_file,
    "remove_file": _remove_file,
}
