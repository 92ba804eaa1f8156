"""Compare the result of a case with its expectation, and show small differences."""

import json
import re
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from skillforge.sandbox import JobResult, WorkFile
from skillforge.schema_errors import as_text

_SHOWN = 300  # characters of a text
_SHOWN_LINES = 12  # of a difference
_LONGEST = 1000  # characters of a pattern
_SECONDS = 5  # for patterns and schemas, which the author of the skill wrote


def differences(expect: Mapping[str, Any], ended: JobResult) -> list[str]:
    """A message for each expectation that is not met."""
    with _in_time():
        try:
            return [
                *_exit(expect.get("exit", 0), ended),
                *_stream("stdout", expect.get("stdout"), ended.out),
                *_stream("stderr", expect.get("stderr"), ended.err),
                *_files(expect.get("files", {}), ended.files),
            ]
        except _TooSlowError:
            return [f"the patterns of the case take more than {_SECONDS} s to match"]


def wanted_files(expect: Mapping[str, Any]) -> tuple[str, ...]:
    """The files to read after the run."""
    return tuple(map(str, expect.get("files", {})))


def unusable(expect: Mapping[str, Any]) -> str:
    """Why an expectation is invalid; empty if it is valid."""
    if isinstance(expect.get("exit", 0), str):
        return f"expect.exit: `{expect['exit']}` is not a number"
    texts = [
        expect.get("stdout"),
        expect.get("stderr"),
        *expect.get("files", {}).values(),
    ]
    for rules in texts:
        if isinstance(rules, dict) and (
            why := _wrong_pattern(rules) or _wrong_schema(rules)
        ):
            return why
    return ""


def _wrong_pattern(rules: Mapping[str, Any]) -> str:
    for pattern in map(as_text, _several(rules.get("matches", []))):
        try:
            if len(pattern) > _LONGEST or re.compile(pattern, re.MULTILINE).groups > 50:
                return f"matches: /{pattern[:40]}…/ is too long, or has too many groups"
        except (re.error, RecursionError, OverflowError) as err:
            return f"matches: /{pattern}/ is not a regular expression: {err}"
    return ""


def _wrong_schema(rules: Mapping[str, Any]) -> str:
    if "json_schema" not in rules:
        return ""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(rules["json_schema"])
    except SchemaError as err:
        return f"json_schema is not a JSON Schema: {err.message[:_SHOWN]}"
    return ""


class _TooSlowError(Exception):
    """A pattern takes too long on a text."""


@contextmanager
def _in_time() -> Iterator[None]:
    """Stop the block after some seconds, if this is the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise _TooSlowError

    before = signal.signal(signal.SIGALRM, stop)
    left, _ = signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left)
        signal.signal(signal.SIGALRM, before)


def _exit(expected: Any, ended: JobResult) -> Iterator[str]:
    fine = expected if isinstance(expected, list) else [expected]
    if str(ended.code) not in map(str, fine):
        output = _tail(ended.err) or _tail(ended.out)
        message = f"exit: expected {' or '.join(map(str, fine))}, got {ended.code}"
        yield (
            message + _by_signal(ended.code) + (f"; output: {output}" if output else "")
        )


def _by_signal(code: int) -> str:
    """The signal that an exit code above 128 means."""
    try:
        return f" ({signal.Signals(code - 128).name})" if code > 128 else ""
    except ValueError:
        return ""


def _files(expected: Mapping[str, Any], files: Mapping[str, WorkFile]) -> Iterator[str]:
    for path, expectation in expected.items():
        actual = files.get(path)
        rules = (
            dict(expectation)
            if isinstance(expectation, dict)
            else {"equals": expectation}
        )
        absent = rules.pop("absent", False) or rules.pop("exists", True) is False
        if absent:
            if actual is not None:
                yield f"{path}: expected to be absent, but there is a {actual.kind}"
        elif actual is None:
            yield f"{path}: expected to exist, but it does not"
        elif actual.kind == "unreadable":
            yield f"{path}: expected to exist, but it cannot be read"
        elif rules and actual.kind != "file":
            yield f"{path}: expected a file, got a {actual.kind}"
        else:
            yield from _stream(path, rules or None, actual.data)


def _stream(name: str, expected: Any, data: bytes) -> Iterator[str]:
    """The differences of an output or a file."""
    if expected is None:
        return
    rules = expected if isinstance(expected, dict) else {"equals": expected}
    text = data.decode("utf-8", "backslashreplace")
    if "\\x" in text and not _is_text(data):
        yield f"{name}: expected UTF-8 text, got other bytes: {_short(text)}"
        return
    for rule, value in rules.items():
        for difference in _RULES[rule](value, text):
            yield f"{name}: {difference}"


def _is_text(data: bytes) -> bool:
    try:
        return bool(data.decode("utf-8")) or not data
    except UnicodeDecodeError:
        return False


def _equals(value: Any, text: str) -> Iterator[str]:
    """Equal except for a final line break, which is awkward to write in YAML."""
    expected = as_text(value)
    if text == expected or _trimmed(text) == _trimmed(expected):
        return
    if "\n" in _trimmed(expected) or "\n" in _trimmed(text):
        yield "not equal (- expected, + got)\n" + _diff(expected, text)
    else:
        at = _first_difference(expected, text)
        where = f"; first difference after {expected[:at][-20:]!r}" if at else ""
        yield f"expected {_short(expected)}, got {_short(text)}{where}"


def _contains(value: Any, text: str) -> Iterator[str]:
    from skillforge.text import nearest_lines

    for part in map(as_text, _several(value)):
        if part not in text:
            near = nearest_lines(text[:20_000], part)[1] if text.strip() else ""
            nearest = f"; nearest is {_short(near)}" if near else ""
            yield f"expected to contain {_short(part)}, got {_short(text)}{nearest}"


def _not_contains(value: Any, text: str) -> Iterator[str]:
    for part in map(as_text, _several(value)):
        if (at := text.find(part)) >= 0:
            line = text.count("\n", 0, at) + 1
            yield f"expected not to contain {_short(part)}, but line {line} does"


def _matches(value: Any, text: str) -> Iterator[str]:
    for pattern in map(as_text, _several(value)):
        if not re.search(pattern, text, re.MULTILINE):
            yield f"expected to match /{pattern}/, got {_short(text)}"


def _json(value: Any, text: str) -> Iterator[str]:
    try:
        yield from _lacks(value, json.loads(text), "$")
    except (ValueError, RecursionError):
        yield f"expected JSON, got {_short(text)}"


def _lacks(expected: Any, actual: Any, where: str) -> Iterator[str]:
    """What a value lacks of `wanted`; it may contain more."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key, item in expected.items():
            path = f"{where}.{key}"
            if str(key) not in actual:
                near = ", ".join(list(actual)[:10]) or "nothing"
                yield f"{path}: expected {_short_json(item)}, got no such key ({near})"
            else:
                yield from _lacks(item, actual[str(key)], path)
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            yield f"{where}: expected {len(expected)} items, got {len(actual)}"
        for at, (expected_item, actual_item) in enumerate(
            zip(expected, actual, strict=False)
        ):
            yield from _lacks(expected_item, actual_item, f"{where}[{at}]")
    elif expected != actual or isinstance(expected, bool) != isinstance(actual, bool):
        yield f"{where}: expected {_short_json(expected)}, got {_short_json(actual)}"


def _json_schema(schema: Any, text: str) -> Iterator[str]:
    from jsonschema import Draft202012Validator
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    # With an empty registry, no referenced schema is fetched.
    validator = Draft202012Validator(schema, registry=Registry())
    try:
        for error in validator.iter_errors(json.loads(text)):
            yield f"{error.json_path}: {error.message[:_SHOWN]}"
    except Unresolvable as err:
        yield f"json_schema refers to another schema: {err}"
    except (ValueError, RecursionError):
        yield f"expected JSON, got {_short(text)}"


_RULES: dict[str, Callable[[Any, str], Iterator[str]]] = {
    "equals": _equals,
    "contains": _contains,
    "not_contains": _not_contains,
    "matches": _matches,
    "json": _json,
    "json_schema": _json_schema,
}


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _trimmed(text: str) -> str:
    return text.removesuffix("\n")


def _first_difference(first: str, second: str) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))


def _diff(expected: str, got: str) -> str:
    from difflib import unified_diff

    from skillforge.text import lines_of

    lines = unified_diff(
        lines_of(expected)[:2000], lines_of(got)[:2000], lineterm="", n=1
    )
    shown = [line[:_SHOWN] for line in lines][2:]  # without the names of the files
    more = len(shown) - _SHOWN_LINES
    rest = [f"… {more} more lines"] if more > 0 else []
    return "\n".join(f"    {line}" for line in [*shown[:_SHOWN_LINES], *rest])


def _short(text: str) -> str:
    shown = repr(text[:_SHOWN])
    return f"{shown}… ({len(text):,} characters)" if len(text) > _SHOWN else shown


def _short_json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)[:_SHOWN]
    except TypeError:
        return str(value)[:_SHOWN]


def _tail(data: bytes) -> str:
    """The last line that mentions an error, else the last line."""
    lines = data[-4096:].decode("utf-8", "backslashreplace").strip().splitlines()
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines)[-1][-_SHOWN:] if lines else ""
