"""`skillforge publish`: put a release where people install from."""

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
    host_option,
)
from skillforge.cli.build import hub_options


@click.command()
@click.argument("tag", required=False)
@click.option(
    "--to",
    "where",
    required=True,
    metavar="DIR|branch:NAME|github|clawhub",
    help="The target. A folder called `github` is ./github.",
)
@click.option("--push", is_flag=True, help="Push the branch to the remote.")
@click.option("--yes", is_flag=True, help="Publish to ClawHub [default: a dry run].")
@hub_options
@host_option
@common_options
@click.pass_obj
def publish(
    settings: GlobalOptions,
    /,
    tag: str | None,
    where: str,
    push: bool,
    yes: bool,
    **options: str,
) -> CommandResult:
    """Publish a release, the newest by default.

    \b
    skillforge publish --to /srv/www/skills          a folder that is served
    skillforge publish --to branch:gh-pages --push   GitHub Pages, for example
    skillforge publish --to github v1.4.0            a GitHub release, marked latest
    skillforge publish --to clawhub                  a dry run on ClawHub
    skillforge publish --to clawhub --yes            publish to ClawHub

    Python packages can add targets. Publishing again is safe and finishes what was left
    half done. A published version is never replaced by other content: that exits 4.
    Exits 1 if a finding blocks the publication.
    """
    from skillforge.propose.workspace import Workspace
    from skillforge.render.data import publish as publish_data
    from skillforge.render.text import publish as publish_text
    from skillforge.share.hub_contents import HubOptions
    from skillforge.workflows import publish as workflow

    result = workflow.publish(
        Workspace.at(settings.start),
        where,
        workflow.PublishOptions(
            tag or "", HubOptions(**options), push, yes, settings.host
        ),
    )
    text = publish_text.publish(result)
    return CommandResult(publish_data.publish(result), text, ok=result.ok)
