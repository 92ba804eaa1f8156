"""`skillforge build`: the Skills Hub of a release."""

from pathlib import Path

import click

from skillforge.cli.base import CommandResult, F, GlobalOptions, common_options


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
        help="Where it will be served [default: links are relative].",
    )
    title = click.option("--title", default="", help="The title of the hub.")
    repository = click.option(
        "--repository",
        default="",
        metavar="URL",
        help="Where clients clone from [default: recorded in the release].",
    )
    return url(title(repository(command)))


@click.command()
@click.argument("tag", required=False)
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder to create; an older hub in it is replaced.",
)
@hub_options
@common_options
@click.pass_obj
def build(
    settings: GlobalOptions, /, tag: str | None, out: Path, **options: str
) -> CommandResult:
    """Build the Skills Hub of a release: what clients install from, and its pages.

    The same tag gives the same bytes on any machine, whatever is in the checkout.
    Tests, evals and evidence are not published, and every file is scanned again: a leak
    stops the build. DIR is replaced as a whole, once everything is written.

    \b
    skillforge build v1.4.0 --out public --url https://acme.github.io/skills/
    skillforge build --out public                 the newest release

    Exits 1 if a finding blocks the publication.
    """
    from skillforge.library import Library
    from skillforge.render.data import publish as publish_data
    from skillforge.render.text import publish as publish_text
    from skillforge.share.hub_contents import HubOptions
    from skillforge.workflows.build import build as build_hub

    library = Library.open(settings.start)
    result = build_hub(library, out, tag or "", HubOptions(**options))
    text = publish_text.build(result)
    return CommandResult(publish_data.build(result), text, ok=result.ok)
