"""Publish a release to one of the targets in `share/publish_targets.py`."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from skillforge.propose.workspace import Workspace
from skillforge.share import hub_build, publish_targets
from skillforge.share.hub_contents import HubContents, HubOptions
from skillforge.share.publish_targets import Publication, PublishRequest
from skillforge.workflows.build import hub_contents


@dataclass(frozen=True, slots=True)
class PublishResult:
    """The contents of a hub and its publication; None if findings block it."""

    contents: HubContents
    publication: Publication | None = None

    @property
    def ok(self) -> bool:
        return self.publication is not None


class PublishOptions(NamedTuple):
    """What to publish and how; each target uses the options it knows."""

    tag: str = ""
    hub: HubOptions = HubOptions()
    push: bool = False
    is_confirmed: bool = False
    host: str = ""


def publish(
    workspace: Workspace, where: str, options: PublishOptions | None = None
) -> PublishResult:
    """Publish a release, the newest by default, to a target or a folder."""
    options = options or PublishOptions()
    target, address = publish_targets.find(where)
    library = workspace.library
    contents = hub_contents(library, options.tag, options.hub)
    if contents.blocking:
        return PublishResult(contents)
    with tempfile.TemporaryDirectory(prefix="skillforge-hub-") as folder:
        built = Path(folder) / "hub"
        hub_build.build(contents.hub, built, contents.cache)
        request = PublishRequest(
            library,
            contents.hub,
            built,
            address,
            identity=lambda: workspace.by,
            push=options.push,
            is_confirmed=options.is_confirmed,
            host=options.host,
        )
        return PublishResult(contents, target(request))
