"""A contract as the text of a SKILL.md."""

from collections.abc import Iterable

from skillforge.learn.inputs import Input
from skillforge.learn.skill_contract import Contract
from skillforge.learn.skill_steps import SkillStep
from skillforge.report import plural
from skillforge.text import plain_words

_LONGEST = 900  # letters of a description, of which 1,024 may be
_SHAPES = {
    "date": "a date",
    "year": "a year, four digits",
    "id": "an id, as the system at hand writes it",
    "integer": "a whole number",
    "number": "a number",
    "path": "a path",
    "email": "an address",
    "secret": "a secret: read it from the environment, and write it nowhere",
    "credentials": "a login: read it from the environment, and write it nowhere",
}


def skill_md(contract: Contract, origin: str) -> str:
    """The text; every section of a contract is there, also where little is known."""
    parts = [
        _header(contract, origin),
        f"# {_sentence(contract.phrase)}",
        "## When to use",
        _when(contract),
        "## Inputs",
        _bullets(map(_input_line, contract.inputs), "None beyond the request itself."),
        "## Steps",
        "\n".join(f"{n}. {_step_line(it)}" for n, it in enumerate(contract.steps, 1)),
        "## Tools",
        _bullets((_tool_line(*it, contract.runs) for it in contract.tools), "None."),
        "## Output",
        _bullets((*contract.output, *map(_praise, contract.praise)), ""),
        "## Failure handling",
        _bullets((f"{it}." for it in contract.failures), _STOP),
        "## Verification",
        _bullets(contract.checks, _READ_AGAIN),
        "## Pitfalls",
        _bullets(contract.pitfalls, _NO_PITFALL),
    ]
    return "\n\n".join(parts) + "\n"


_STOP = (
    "If a step fails twice for the same reason, stop, and say which step it was and "
    "what it answered."
)
_READ_AGAIN = "Read the request again: each input of it is reflected in the output."
_NO_PITFALL = "Do not guess an input that was not given: ask for it."


def description(contract: Contract) -> str:
    """What it does, and when to use it."""
    phrase = contract.phrase.replace("{{", "(").replace("}}", ")").replace("_", " ")
    tools = [plain_words(tool, 40) for tool, _ in contract.tools[:4]]
    using = f" with {', '.join(tools)}" if tools else ""
    what = f"{_sentence(phrase)}{using}: {plural(len(contract.steps), 'step')}, checks"
    about = contract.name.replace("-", " ")
    text = f"{what} and pitfalls. Use when the task is of this kind: {about}."
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]}."


def _header(contract: Contract, origin: str) -> str:
    import json

    # A JSON string is a YAML string, whatever stands in it.
    said = json.dumps(description(contract), ensure_ascii=False)
    return (
        f"---\nname: {contract.name}\ndescription: {said}\nmetadata:\n"
        f'  version: "0.1.0"\n  origin: {origin}\n---'
    )


def _when(contract: Contract) -> str:
    asked = contract.phrase or "do the same as the examples"
    return (
        f"When somebody asks for this: {asked}. Not for anything else: it rests on "
        f"{plural(contract.runs, 'verified run')} of just this kind."
    )


def _input_line(item: Input) -> str:
    shown = item.shown()
    such = f", such as {', '.join(f'`{value}`' for value in shown)}" if shown else ""
    default = item.default if item.default in shown else None
    rest = f"; `{default}` if nothing is said" if default else "; ask if it is missing"
    kind = _SHAPES.get(item.type, item.type)
    return f"`{item.name}`: {kind}{such}{rest}."


def _step_line(step: SkillStep) -> str:
    how = [f"{step.support} of {step.of} runs"]
    how += ["optional"] if step.is_optional else []
    how += ["repeat as needed"] if step.is_repeated else []
    return f"{_sentence(step.text)} ({', '.join(how)})."


def _praise(note: str) -> str:
    return f"What reviewers praised: {note}"


def _tool_line(tool: str, seen: int, runs: int) -> str:
    return f"`{tool}` ({seen} of {runs} runs)"


def _bullets(lines: Iterable[str], otherwise: str) -> str:
    return "\n".join(f"- {line}" for line in list(lines) or [otherwise])


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
