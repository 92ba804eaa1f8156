"""Hubs that are built or published as text for a terminal."""

from typing import TYPE_CHECKING

from skillforge.report import finding_text, plural, printable

if TYPE_CHECKING:
    from skillforge.share.hub_contents import HubContents
    from skillforge.workflows.build import BuildResult
    from skillforge.workflows.publish import PublishResult


def build(result: "BuildResult") -> str:
    contents = result.contents
    if not result.ok:
        return _blocked(contents)
    count = plural(len(contents.hub.skills), "skill")
    return "\n".join(
        [
            *_exceptions(contents),
            f"built the hub of {contents.hub.tag} in {result.path}: {count}",
            f"    SHA256SUMS {result.digest}",
        ]
    )


def publish(result: "PublishResult") -> str:
    if result.publication is None:
        return _blocked(result.contents)
    lines = result.publication.summary.split("\n")
    return "\n".join([*_exceptions(result.contents), *map(printable, lines)])


def _blocked(contents: "HubContents") -> str:
    lines = [finding_text(finding) for finding in contents.blocking]
    count = plural(len(lines), "finding")
    return "\n".join([*lines, f"{contents.hub.tag} can't be published: {count}"])


def _exceptions(contents: "HubContents") -> list[str]:
    """The skills that are not published at all, or in archives only."""
    lines = [f"skipped {name}: {why}" for name, why in contents.skipped.items()]
    lines += [
        f"{name}: published in archives only, since a browser could run {path}"
        for name, path in contents.archives_only.items()
    ]
    return [printable(line) for line in lines]
