"""The argument NAME: a skill by its name, its path, or its folder if unique."""

from collections.abc import Callable
from typing import Any

import click

from skillforge import workflows
from skillforge.cli import completions
from skillforge.cli.base import F, GlobalOptions


class SkillName(click.ParamType[str]):
    """A skill's name; `skills/csv/` and a folder that only one skill has work, too."""

    name = "skill"

    def convert(
        self, value: Any, _param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        settings = ctx.find_object(GlobalOptions) if ctx else None
        if settings is None or not value:
            return str(value)
        return workflows.lookup.full_name(settings.start, value)


def skill_argument(name: str = "name", **options: Any) -> Callable[[F], F]:
    """An argument that names a skill of the library."""
    return click.argument(
        name, type=SkillName(), shell_complete=completions.skills, **options
    )
