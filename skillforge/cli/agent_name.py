"""The name of an agent as an option's value: a built-in one, or a plugin's."""

from typing import Any

import click

from skillforge.agents import BUILT_IN, names


class AgentName(click.Choice):  # type: ignore[type-arg] # click 8.1 has no Choice[str]
    """Lists the built-in agents in help; plugins are searched for other names only."""

    def __init__(self) -> None:
        super().__init__(tuple(BUILT_IN))

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        if value not in BUILT_IN:
            self.choices = names()
        return str(super().convert(value, param, ctx))
