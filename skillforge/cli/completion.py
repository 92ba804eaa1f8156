"""`skillforge completion`: the completion script of a shell."""

import click
from click.shell_completion import get_completion_class

from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.cli.completions import SHELLS, VARIABLE


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@common_options
@click.pass_obj
def completion(_settings: GlobalOptions, shell: str) -> CommandResult:
    """Print the script that makes a shell complete commands, skills and proposals.

    \b
    eval "$(skillforge completion bash)"         in ~/.bashrc
    eval "$(skillforge completion zsh)"          in ~/.zshrc, after compinit
    skillforge completion fish | source          in ~/.config/fish/config.fish
    """
    from skillforge.cli import cli  # which imports us

    shell_class = get_completion_class(shell)
    assert shell_class is not None
    script = shell_class(cli, {}, "skillforge", VARIABLE).source()
    return CommandResult({"shell": shell, "script": script}, document=script)
