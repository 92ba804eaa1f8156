"""From a draft to a request: with its reasons, its origin and its examples."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from skillforge.document.draft_skill import draft_document
from skillforge.model import SKILLS, Draft, Origin, is_of_agent
from skillforge.propose import draft_source
from skillforge.propose.admission import ProposalRequest
from skillforge.propose.workspace import Workspace

_AGENTS = [origin.value for origin in Origin if is_of_agent(origin)]


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


def request(
    workspace: Workspace, draft: Draft, options: ProposalOptions
) -> ProposalRequest:
    """What is asked of `propose`, based on main as the workspace has seen it."""
    files, ids = draft_source.examples(
        workspace.library, workspace.base, draft.skill, options.examples
    )
    whole = replace(
        draft,
        evidence={**draft.evidence, **files},
        examples=tuple(dict.fromkeys((*draft.examples, *ids))),
        origin=Origin(options.origin or _origin(workspace, draft)),
        why=options.why,
        session=options.session,
        model=options.model,
    )
    how = (options.bump, options.draft, options.supersede)
    return ProposalRequest(whole, workspace.base, *how)


def _origin(workspace: Workspace, draft: Draft) -> Origin:
    """The origin of a draft without one: a new skill may name an agent as its maker."""
    document = draft_document(draft)
    named = document.metadata("origin") if document else ""
    path = f"{workspace.base}:{SKILLS}/{draft.skill}"
    is_new = not workspace.library.repository().name_of(path)
    return Origin(named) if is_new and named in _AGENTS else Origin.HUMAN
