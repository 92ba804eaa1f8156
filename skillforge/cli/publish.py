"""`skillforge publish`: publish a release to a folder, a branch or a registry."""

import click

from skillforge import workflows
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
    host_option,
)
from skillforge.cli.build import hub_options
from skillforge.render import data, text


@click.command()
@click.argument("tag", required=False)
@click.option(
    "--to",
    "where",
    required=True,
    metavar="DIR|branch:NAME|github|clawhub",
    help="The target; a folder named `github` is ./github.",
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

    Python packages can add targets. Publishing again is safe, and completes a
    publication that was interrupted. A published version is never replaced.

    Exits 1 if a finding blocks the publication, 4 if the version was published with
    other content.
    """
    workflow = workflows.publish
    hub = workflows.build.HubOptions(**options)
    result = workflow.publish(
        workflows.workspaces.open_workspace(settings.start),
        where,
        workflow.PublishOptions(tag or "", hub, push, yes, settings.host),
    )
    return CommandResult(
        data.publish.publish(result), text.publish.publish(result), result.ok
    )
