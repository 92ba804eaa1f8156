"""Errors and rewards: what a transcript proves about success and failure."""

import re
from collections.abc import Mapping
from math import isclose, isfinite
from typing import Any

from skillforge.learn.formats import untrusted_values as values
from skillforge.model import Outcome, OutcomeSource, OutcomeStatus

_START = 400  # letters of an answer in which an error is reported
_MOST_JSON = 200_000  # letters that are parsed to look for an error

_FAILED = re.compile(
    r"""
    (?: [Tt]raceback\ \(most\ recent\ call\ last\)
    |   (?i:error|fatal)\s?[:!]
    |   (?i:invalid|unknown|unrecogni[sz]ed|missing|unsupported)\ \w[\w\ -]{0,40}[:;,.(]
    |   (?i:failed\ to|cannot|could\ not|unable\ to|no\ such)\ \w
    |   Error\ (?: (?!handling|logging|reporting|tracking|checking|monitoring)\w+ing\b
               | (?:in|while|when|at|from|during|occurred)\b | (?:code\b\W*)?\d )
    |   [A-Za-z_][\w.]*(?:Error|Exception):\s
    |   \S*\b(?:ba|z|da|k)?sh:\ .{1,200}
        (?:not\ found|No\ such\ file\ or\ directory|Permission\ denied|syntax\ error)
    )
    """,
    re.VERBOSE,
)

# "Exit code 1", "Process exited with code 2", "[exit status: 1]" on a line of their
# own; a longer sentence, such as "exit code 1 means", only mentions one.
_EXIT = re.compile(
    r"""
    ^[\[(]?(?:(?:the\s)?(?:command|process|script|program)\s)?
    (?: (?:failed\s|finished\s|ended\s|terminated\s|completed\s|returned\s)?
        (?:with\s)?(?:an?\s)?(?:non-?zero\s)?exit[ _-]?(?:code|status)
    |   exited\swith\s(?:non-?zero\s)?(?:exit\s)?(?:code|status)
    )
    \s?[:=]?\s?(-?\d+)(?=\s*(?:$|[\])(.,;:]))
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)

_EXIT_KEYS = ("exit_code", "exitCode", "returncode", "return_code")
_NO_ERROR = ("", "none", "null", "false", "0")


def is_error_text(text: str) -> bool:
    """Whether a tool's answer reports that the call failed.

    Only its start counts: a file that a tool read may mention errors.
    """
    start = text[:_START].lstrip()
    if start.startswith("<tool_use_error>") or _FAILED.match(start):
        return True
    if exits := _EXIT.search(start):
        return int(exits[1]) != 0
    if start.startswith("{") and len(text) <= _MOST_JSON:
        return has_failed(values.mapping(values.parse_json(text))) is True
    return False


def has_failed(answer: Mapping[str, Any]) -> bool | None:
    """Whether an object reports a failure; None if it reports neither."""
    for part in (answer, values.mapping(answer.get("metadata"))):
        for key in _EXIT_KEYS:
            code = part.get(key)
            if isinstance(code, int) and not isinstance(code, bool):
                return code != 0
    for key in ("success", "ok"):
        if isinstance(answer.get(key), bool):
            return not answer[key]
    if answer.get("is_error") is True or answer.get("isError") is True:
        return True
    if _is_error(answer.get("error")) or answer.get("status") == "error":
        return True
    return None


def _is_error(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower() not in _NO_ERROR
    return bool(value)


def by_reward(reward: Any, by: str) -> Outcome:
    """The outcome of a verifier's reward: 1 is a success, less is a failure."""
    score = _number(reward)
    if score is None:
        return Outcome()
    is_success = isclose(score, 1, abs_tol=1e-6)
    status = OutcomeStatus.SUCCESS if is_success else OutcomeStatus.FAILURE
    return Outcome(status, OutcomeSource.VERIFIER, by)


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        word = value.strip().lower()
        value = {"true": 1, "false": 0}.get(word, word[:40])
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if isfinite(number) else None
