"""From a draft to a request: with its reasons, its origin and its examples."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from skillforge.model import Draft, Origin
from skillforge.propose import draft_source
from skillforge.propose.admission import ProposalRequest
from skillforge.propose.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ProposalOptions:
    """How somebody wants drafts to be proposed; all of it may be left away."""

    why: str = ""
    examples: tuple[str, ...] = ()  # ids in evidence/, or paths of JSON files
    origin: str = ""
    session: str = ""
    model: str = ""
    bump: str | None = None
    draft: bool = False
    supersede: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "ProposalOptions":
        """Options by name; others among them are none of ours."""
        names = {field.name for field in fields(cls)}
        return cls(**{key: it for key, it in given.items() if key in names and it})


def request(desk: Workspace, draft: Draft, options: ProposalOptions) -> ProposalRequest:
    """What is asked of `propose`, based on main as the desk has seen it."""
    files, ids = draft_source.examples(
        desk.library, desk.base, draft.skill, options.examples
    )
    whole = replace(
        draft,
        evidence={**draft.evidence, **files},
        examples=tuple(dict.fromkeys((*draft.examples, *ids))),
        origin=Origin(options.origin or desk.origin_of(draft)),
        why=options.why,
        session=options.session,
        model=options.model,
    )
    how = (options.bump, options.draft, options.supersede)
    return ProposalRequest(whole, desk.base, *how)
