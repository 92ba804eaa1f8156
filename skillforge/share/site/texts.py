"""What skills say, as HTML: to make it takes longer than all the rest of a hub."""

import hashlib
import json
from collections.abc import Iterable, Mapping

from skillforge.share.hub import PublishedSkill
from skillforge.share.site import markdown
from skillforge.share.site.files import places
from skillforge.share.site.markup import Html


class Texts:
    """Texts as HTML, made anew or known from an earlier time.

    `edition` stands for what makes them: what another one made is not known.
    """

    def __init__(self, edition: str = "", known: Mapping[str, str] | None = None):
        self.edition = edition
        self.known = known or {}
        self.fresh: dict[str, str] = {}

    def key(self, skill: PublishedSkill) -> str:
        """All that the HTML of a skill's text follows from."""
        said = [self.edition, skill.document.body, sorted(places(skill.files).items())]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def keys(self, skills: Iterable[PublishedSkill]) -> list[str]:
        return [self.key(skill) for skill in skills]

    def html(self, skill: PublishedSkill) -> Html:
        key = self.key(skill)
        if key in self.known:
            return Html(self.known[key])
        known = markdown.LinkTargets(places(skill.files))
        made = markdown.render(skill.document.body, known)
        self.fresh[key] = made
        return made
