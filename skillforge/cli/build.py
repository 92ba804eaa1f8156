"""`skillforge build`: the Skills Hub of a release."""

from pathlib import Path

import click

from skillforge import workflows
from skillforge.cli.base import CommandResult, F, GlobalOptions, common_options
from skillforge.cli.progress import progress
from skillforge.render import data, text


def _address(_context: click.Context, _option: click.Parameter, value: str) -> str:
    """An address that paths can be appended to."""
    if value and not value.startswith(("https://", "http://")):
        raise click.BadParameter("an address starts with https://")
    return value.rstrip("/") + "/" if value else ""


def hub_options(command: F) -> F:
    """Give a command the options that describe a hub."""
    url = click.option(
        "--url",
        default="",
        callback=_address,
        metavar="URL",
        help="The address of the hub [default: links are relative].",
    )
    title = click.option("--title", default="", help="The title of the hub.")
    repository = click.option(
        "--repository",
        default="",
        metavar="URL",
        help="The repository that clients clone [default: the one in the release].",
    )
    return url(title(repository(command)))


@click.command()
@click.argument("tag", required=False)
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder to create; an older hub is replaced.",
)
@hub_options
@common_options
@click.pass_obj
def build(
    settings: GlobalOptions, /, tag: str | None, out: Path, **options: str
) -> CommandResult:
    """Build the Skills Hub of a release: its pages, and what clients install from.

    The same tag gives the same bytes on any machine; the checkout doesn't matter.
    Tests, evals and evidence are not published. Every file is scanned again, and a leak
    stops the build. DIR is replaced at the end, as a whole.

    \b
    skillforge build v1.4.0 --out public --url https://acme.github.io/skills/
    skillforge build --out public                 the newest release

    Exits 1 if a finding blocks the publication.
    """
    library = settings.open_library()
    hub = workflows.build.HubOptions(**options)
    with progress(settings.json) as bar:
        result = workflows.build.build(library, out, tag or "", hub, bar)
    return CommandResult(
        data.publish.build(result), text.publish.build(result), result.ok
    )
