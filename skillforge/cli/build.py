"""`skillforge build`: the Skills Hub of a release."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillforge.cli.base import CommandResult, GlobalOptions, common_options
from skillforge.errors import RequestError

if TYPE_CHECKING:
    from skillforge.share.hub import Hub
    from skillforge.share.hub_contents import HubContents


def _address(_context: click.Context, _option: click.Parameter, value: str) -> str:
    """An address that files can be put after."""
    if value and not value.startswith(("https://", "http://")):
        raise click.BadParameter("an address starts with https://")
    return value.rstrip("/") + "/" if value else ""


def hub_options(command: Callable[..., CommandResult]) -> Callable[..., CommandResult]:
    """Give a command what a publisher may say of a hub."""
    url = click.option(
        "--url",
        default="",
        callback=_address,
        metavar="URL",
        help="Where it will be served; links are relative without.",
    )
    title = click.option("--title", default="", help="What it is called.")
    repository = click.option(
        "--repository",
        default="",
        metavar="URL",
        help="Where clients clone from [default: as the release says].",
    )
    return url(title(repository(command)))


@click.command()
@click.argument("tag", required=False)
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder to make; one that holds a hub is replaced.",
)
@hub_options
@common_options
@click.pass_obj
def build(
    settings: GlobalOptions, /, tag: str | None, out: Path, **said: str
) -> CommandResult:
    """Make the Skills Hub of a release: what clients install from, and its pages.

    The same tag gives the same bytes on any machine. Nothing of the checkout is looked
    at. Tests, evals and evidence stay out, and every file is scanned again: a leak
    stops it. All is written beside DIR and then takes its place.

    \b
    skillforge build v1.4.0 --out public --url https://acme.github.io/skills/
    skillforge build --out public                 of the newest release

    Exits 1 if something in it must not be published.
    """
    from skillforge.share import atomic_folder, hub_build

    gathered = gathered_from(settings, tag, said)
    if gathered.blocking:
        return stopped(gathered)
    atomic_folder.hub_in(out)
    hub_build.build(gathered.hub, out, gathered.cache)
    return built(gathered, out)


def gathered_from(
    settings: GlobalOptions, tag: str | None, said: dict[str, str]
) -> "HubContents":
    """What a release publishes; the newest, if none is named."""
    from skillforge.cli.lineage import told
    from skillforge.library import Library
    from skillforge.share import releases
    from skillforge.share.hub_contents import HubOptions, gather

    library = Library.open(settings.start)
    repo = library.repository()
    found = releases.find(repo, tag) if tag else releases.must_find_newest(repo)
    history = told(library, found.tag.commit, found.noted)
    gathered = gather(library, found, history, HubOptions(**said))
    if not gathered.hub.skills and not gathered.blocking:
        raise RequestError(
            f"{found.tag.name} holds no skill that can be published",
            hint="skillforge validate --rev TAG tells why",
        )
    return gathered


def stopped(gathered: "HubContents") -> CommandResult:
    """That something must not be published, and what."""
    from skillforge.report import finding_data, finding_text

    lines = [*map(finding_text, gathered.blocking)]
    lines.append(f"{gathered.hub.tag} holds what must not be published: nothing is")
    found = [*map(finding_data, gathered.blocking)]
    data = {"tag": gathered.hub.tag, "commit": gathered.hub.commit, "findings": found}
    return CommandResult(data, "\n".join(lines), ok=False)


def built(gathered: "HubContents", out: Path) -> CommandResult:
    """What there is to say of a hub in a folder."""
    import hashlib

    from skillforge.report import plural, printable
    from skillforge.share import hub_formats, hub_layout

    hub, left_out = gathered.hub, dict(gathered.left_out)
    digest = hashlib.sha256((out / hub_layout.SUMS).read_bytes()).hexdigest()
    data = {
        "tag": hub.tag,
        "commit": hub.commit,
        "path": str(out),
        "skills": len(hub.skills),
        "left_out": left_out,
        "archives_only": hub_formats.archives_only(hub),
        "digest": f"sha256:{digest}",
        "findings": [],
    }
    lines = [printable(f"left out: {name}, as {why}") for name, why in left_out.items()]
    lines += archives_only(hub)
    lines.append(f"{out} is the hub of {hub.tag}: {plural(len(hub.skills), 'skill')}")
    lines.append(f"    {hub_layout.SUMS} sha256:{digest}")
    return CommandResult(data, "\n".join(lines))


def archives_only(hub: "Hub") -> list[str]:
    """A line for each skill whose files are not served one by one."""
    from skillforge.report import printable
    from skillforge.share import hub_formats

    return [
        printable(f"in archives only: {name}, as a browser might run {path}")
        for name, path in hub_formats.archives_only(hub).items()
    ]
