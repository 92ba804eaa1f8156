"""Fenced code in a SKILL.md: check its syntax, and run what is marked `test`."""

import ast
import json
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

from skillforge.checks.cases.case_files import Case
from skillforge.model import SKILL_FILE, Skill, Trial, TrialOutcome
from skillforge.text import code_blocks

_MOST_BYTES = 1 << 14  # of a block that is parsed
_MOST_DEPTH = 40
_LANGUAGES = {
    "python": "python",
    "python3": "python",
    "py": "python",
    "sh": "sh",
    "shell": "sh",
    "bash": "bash",
    "json": "json",
    "yaml": "yaml",
    "yml": "yaml",
    "toml": "toml",
}
_INFO = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*([^\n]*)\n")
# Placeholders for the reader to fill in: <name>, {name}, …
_ANGLES = re.compile(r"<[A-Za-z][^<>\n]{0,60}>")
_BRACES = re.compile(r"\{\{?[ ]?[A-Za-z_][\w .-]{0,40}\}?\}")
_DOTS = re.compile(r"…|\.\.\.")
_PROMPT = re.compile(r"^(?:\$|>>>|\.\.\.)[ ]", re.MULTILINE)
_MAGIC = re.compile(r"^[ \t]*[%!].*$", re.MULTILINE)


class CodeBlock(NamedTuple):
    """One block of code: its language, its text, its line, and whether to run it."""

    language: str
    text: str
    line: int
    is_test: bool


def blocks(skill: Skill) -> Iterator[CodeBlock]:
    """The blocks of a SKILL.md that can be run or checked."""
    document = skill.document
    if document is None or not document.readable:
        return
    body = document.body
    for start, end in code_blocks(body):
        opening = _INFO.match(body, start)
        words = opening[1].lower().split() if opening else []
        is_test = "test" in words[1:]
        if opening is None or not words or not (words[0] in _LANGUAGES or is_test):
            continue
        inner = body[opening.end() : end]
        text = (
            inner.rpartition("\n")[0]
            if inner.rstrip().endswith(("```", "~~~"))
            else inner
        )
        line = document.line_at(document.body_start + opening.end())
        language = _LANGUAGES.get(words[0], words[0])
        yield CodeBlock(language, textwrap.dedent(text), line, is_test)


def read_blocks(skill: Skill) -> Iterator[Case | Trial]:
    """The blocks to run as cases, and the results of checking the others."""
    for block in blocks(skill):
        name = f"{SKILL_FILE}:{block.line} {block.language}"
        if block.is_test and block.language in _RUN:
            argv = (*_RUN[block.language], block.text)
            yield Case(name, SKILL_FILE, argv, block.line)
        elif block.is_test:
            why = f"marked `test`, but only {', '.join(_RUN)} can be run"
            yield _checked_trial(skill, block, name, TrialOutcome.ERROR, why)
        elif block.language in ("sh", "bash"):
            # The shell itself checks the syntax, in the sandbox.
            argv = ("bash", "-n", "-c", fillable(block.text))
            yield Case(f"{name} syntax", SKILL_FILE, argv, block.line, is_proof=False)
        elif len(block.text) <= _MOST_BYTES and (why := _syntax(block)):
            why = f"not {block.language}: {why}; or mark the block as `text`"
            yield _checked_trial(
                skill, block, f"{name} syntax", TrialOutcome.FAILED, why
            )


def _checked_trial(
    skill: Skill, block: CodeBlock, name: str, outcome: TrialOutcome, why: str
) -> Trial:
    return Trial(skill.name, name, outcome, 0.0, why, SKILL_FILE, block.line)


_RUN = {
    "python": ("python3", "-c"),
    "sh": ("sh", "-eu", "-c"),
    "bash": ("bash", "-eu", "-c"),
}


def fillable(text: str) -> str:
    """Text with placeholders filled in, and without prompts."""
    text = _ANGLES.sub("PLACEHOLDER", _PROMPT.sub("", text))
    return _DOTS.sub("PLACEHOLDER", text)


def _syntax(block: CodeBlock) -> str:
    """What is wrong with a block; empty if one of the readings parses."""
    why = ""
    for reading in _READINGS[block.language]:
        try:
            _PARSERS[block.language](reading(block.text))
        except RecursionError:
            return "nested too deeply"
        except SyntaxError as err:
            line = block.line + (err.lineno or 1) - 1
            why = why or f"line {line}: {err.msg}"
        except (ValueError, MemoryError) as err:
            why = why or (str(err).splitlines() or ["too complex"])[0][:200]
        else:
            return ""
    return why


def _parse_python(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(
            text, SKILL_FILE, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        )


def _parse_yaml(text: str) -> None:
    import yaml

    try:
        depth = 0
        for event in yaml.parse(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _MOST_DEPTH:
                raise ValueError("nested too deeply")
    except yaml.MarkedYAMLError as err:
        raise ValueError(err.problem) from err
    except yaml.YAMLError as err:
        raise ValueError("contains characters that YAML does not allow") from err


def _parse_toml(text: str) -> None:
    import tomllib

    tomllib.loads(text)


def _filled(text: str) -> str:
    text = _ANGLES.sub("PLACEHOLDER", _PROMPT.sub("", text))
    return _MAGIC.sub("", _BRACES.sub("PLACEHOLDER", text)).replace("…", "...")


def _plain_yaml(text: str) -> str:
    """YAML without lines of three dots, which would end the document."""
    return re.sub(
        r"^([ \t]*)\.\.\.[ \t]*$", r"\1# more", _filled(text), flags=re.MULTILINE
    )


def _plain_toml(text: str) -> str:
    """TOML with a value for every placeholder, and without lines of dots."""
    text = _ANGLES.sub("0", _BRACES.sub("0", text))
    return re.sub(r"=[ \t]*(?:…|\.\.\.)", "= 0", text).replace("...", "#")


def _doctest(text: str) -> str:
    """The lines at Python prompts."""
    lines = [line[4:] for line in text.split("\n") if line[:4] in (">>> ", "... ")]
    return "\n".join(lines) if lines else text


def _plain_json(text: str) -> str:
    """JSON without comments, dots and trailing commas."""
    text = re.sub(r"^[ \t]*(?://|#).*$|[ \t]//[ \t].*$", "", text, flags=re.MULTILINE)
    text = re.sub(r":[ \t]*(?:…|\.\.\.)", ": null", text)
    text = _DOTS.sub("", _ANGLES.sub("null", _BRACES.sub("null", text)))
    text = re.sub(r",(?:\s*,)+", ",", text)
    return re.sub(r",(\s*[}\]])", r"\1", re.sub(r"([{\[]\s*),", r"\1", text))


def _in_braces(text: str) -> str:
    """An object that is written without its braces."""
    return "{" + _plain_json(text).strip().rstrip(",") + "}"


def _each_line(text: str) -> str:
    """One value per line, as in logs and JSONL."""
    lines = [line for line in text.split("\n") if line.strip()]
    return "[" + ",".join(_plain_json(line) for line in lines) + "]"


_PARSERS: dict[str, Callable[[str], object]] = {
    "python": _parse_python,
    "json": json.loads,
    "yaml": _parse_yaml,
    "toml": _parse_toml,
}
_AS_IT_IS: Callable[[str], str] = str
_READINGS: dict[str, tuple[Callable[[str], str], ...]] = {
    "python": (_AS_IT_IS, _filled, _doctest),
    "json": (_AS_IT_IS, _plain_json, _in_braces, _each_line),
    "yaml": (_AS_IT_IS, _plain_yaml),
    "toml": (_AS_IT_IS, _plain_toml),
}
