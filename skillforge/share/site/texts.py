"""The instructions of skills as HTML, cached: rendering them takes longest of all."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from skillforge.share.hub import PublishedSkill
from skillforge.share.site import markdown
from skillforge.share.site.files import anchors

if TYPE_CHECKING:
    from markupsafe import Markup


class Texts:
    """Instructions as HTML, rendered now or known from an earlier build.

    `edition` identifies the renderer: texts of another edition are not reused.
    """

    def __init__(self, edition: str = "", known: Mapping[str, str] | None = None):
        self.edition = edition
        self.known = known or {}
        self.fresh: dict[str, str] = {}

    def key(self, skill: PublishedSkill) -> str:
        """A digest of everything that the HTML depends on."""
        inputs = [
            self.edition,
            skill.document.body,
            sorted(anchors(skill.files).items()),
        ]
        return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()

    def keys(self, skills: Iterable[PublishedSkill]) -> list[str]:
        return [self.key(skill) for skill in skills]

    def html(self, skill: PublishedSkill) -> "Markup":
        from markupsafe import Markup

        key = self.key(skill)
        if key in self.known:
            return Markup(self.known[key])  # noqa: S704  our own output
        targets = markdown.LinkTargets(anchors(skill.files))
        rendered = markdown.render(skill.document.body, targets)
        self.fresh[key] = str(rendered)
        return rendered
