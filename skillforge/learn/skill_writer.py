"""Write a contract as a SKILL.md."""

import io
from collections.abc import Iterable, Mapping
from typing import Any

from skillforge.learn.inputs import Input
from skillforge.learn.skill_contract import Contract
from skillforge.learn.skill_steps import SkillStep
from skillforge.report import plural
from skillforge.text import plain_words

_LONGEST = 900  # characters of a description; 1,024 are allowed
_WIDTH = 1 << 16  # no line of the header is folded
_TYPES = {
    "date": "a date",
    "year": "a year, four digits",
    "id": "an id, in the format of the system",
    "integer": "a whole number",
    "number": "a number",
    "path": "a path",
    "email": "an email address",
    "secret": "a secret: read it from the environment and never write it down",
    "credentials": "a login: read it from the environment and never write it down",
}
_STOP = (
    "If a step fails twice for the same reason, stop, and report the step and its "
    "answer."
)
_READ_AGAIN = "Read the request again: the output must reflect each of its inputs."
_NO_PITFALL = "Do not guess an input that was not given: ask for it."


def skill_md(contract: Contract, origin: str) -> str:
    """The text of a SKILL.md; it has every section, even where little is known."""
    import frontmatter
    from frontmatter.default_handlers import YAMLHandler
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString as Quoted

    class Header(YAMLHandler):
        """A header written by ruamel.yaml, which keeps the order and quotes of keys."""

        def export(self, metadata: Mapping[str, Any], **_options: Any) -> str:
            return _yaml(metadata)

    fields = {
        "name": contract.name,
        "description": Quoted(description(contract)),
        "metadata": {"version": Quoted("0.1.0"), "origin": str(origin)},
    }
    post = frontmatter.Post(_body(contract), Header(), **fields)
    text: str = frontmatter.dumps(post)
    return f"{text}\n"


def _yaml(fields: Mapping[str, Any]) -> str:
    from ruamel.yaml import YAML

    writer = YAML()
    writer.width = _WIDTH
    stream = io.StringIO()
    writer.dump(dict(fields), stream)
    return stream.getvalue().rstrip("\n")


def _body(contract: Contract) -> str:
    steps = (f"{n}. {_step_line(step)}" for n, step in enumerate(contract.steps, 1))
    tools = (
        f"`{tool}` ({runs} of {contract.runs} runs)" for tool, runs in contract.tools
    )
    praise = (f"Reviewers praised: {note}" for note in contract.praise)
    sections = {
        "When to use": _when(contract),
        "Inputs": _bullets(
            map(_input_line, contract.inputs), "None beyond the request itself."
        ),
        "Steps": "\n".join(steps),
        "Tools": _bullets(tools, "None."),
        "Output": _bullets((*contract.output, *praise), ""),
        "Failure handling": _bullets(
            (f"{failure}." for failure in contract.failures), _STOP
        ),
        "Verification": _bullets(contract.checks, _READ_AGAIN),
        "Pitfalls": _bullets(contract.pitfalls, _NO_PITFALL),
    }
    parts = [f"# {_sentence(contract.phrase)}"]
    for title, text in sections.items():
        parts += [f"## {title}", text]
    return "\n\n".join(parts)


def description(contract: Contract) -> str:
    """What the skill does, and when to use it."""
    phrase = contract.phrase.replace("{{", "(").replace("}}", ")").replace("_", " ")
    tools = [plain_words(tool, 40) for tool, _ in contract.tools[:4]]
    using = f" with {', '.join(tools)}" if tools else ""
    about = contract.name.replace("-", " ")
    text = (
        f"{_sentence(phrase)}{using}: {plural(len(contract.steps), 'step')}, checks "
        f"and pitfalls. Use for tasks such as: {about}."
    )
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]}."


def _when(contract: Contract) -> str:
    asked = contract.phrase or "do the same as the examples"
    runs = plural(contract.runs, "verified run")
    return (
        f"Use this skill when the user asks for this: {asked}. Do not use it for "
        f"other tasks: it is based on {runs} of this task."
    )


def _input_line(field: Input) -> str:
    values = field.shown()
    such_as = f", such as {', '.join(f'`{value}`' for value in values)}"
    default = field.default if field.default in values else None
    missing = f"; `{default}` by default" if default else "; ask if it is missing"
    type_ = _TYPES.get(field.type, field.type)
    return f"`{field.name}`: {type_}{such_as if values else ''}{missing}."


def _step_line(step: SkillStep) -> str:
    notes = [f"{step.support} of {step.of} runs"]
    notes += ["optional"] if step.is_optional else []
    notes += ["repeat as needed"] if step.is_repeated else []
    return f"{_sentence(step.text)} ({', '.join(notes)})."


def _bullets(lines: Iterable[str], default: str) -> str:
    return "\n".join(f"- {line}" for line in list(lines) or [default])


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
