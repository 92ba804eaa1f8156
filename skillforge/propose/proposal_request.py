"""A draft, and how to propose it: its reason, its origin and its examples."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from skillforge.document.draft_skill import draft_document
from skillforge.errors import RequestError
from skillforge.model import Draft, Origin, is_of_agent
from skillforge.propose import draft_source
from skillforge.propose.workspace import Workspace

_AGENTS = [origin.value for origin in Origin if is_of_agent(origin)]


@dataclass(frozen=True, slots=True)
class ProposalRequest:
    """A draft, and how to propose it."""

    draft: Draft
    base: str  # main when the draft was gathered
    bump: str | None = None
    is_draft: bool = False
    supersede: bool = False


@dataclass(frozen=True, slots=True)
class ProposalOptions:
    """How a user wants drafts to be proposed; every option may be omitted."""

    why: str = ""
    examples: tuple[str, ...] = ()  # ids in evidence/, or paths of JSON files
    origin: str = ""
    session: str = ""
    model: str = ""
    bump: str | None = None
    draft: bool = False
    supersede: bool = False

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "ProposalOptions":
        """The options that a mapping names; its other keys are ignored."""
        names = {field.name for field in fields(cls)}
        return cls(**{k: value for k, value in options.items() if k in names and value})


def request(
    workspace: Workspace, draft: Draft, options: ProposalOptions
) -> ProposalRequest:
    """The request to propose a draft, based on the workspace's main."""
    if options.origin and options.origin not in tuple(Origin):
        known = ", ".join(Origin)
        raise RequestError(f"no origin {options.origin!r}", hint=f"known: {known}")
    files, ids = draft_source.examples(workspace, draft.skill, options.examples)
    draft = replace(
        draft,
        evidence={**draft.evidence, **files},
        examples=tuple(dict.fromkeys((*draft.examples, *ids))),
        origin=Origin(options.origin or _origin(workspace, draft)),
        why=options.why,
        session=options.session,
        model=options.model,
    )
    how = (options.bump, options.draft, options.supersede)
    return ProposalRequest(draft, workspace.base, *how)


def _origin(workspace: Workspace, draft: Draft) -> Origin:
    """The default origin: human, unless a new skill names an agent in its header."""
    document = draft_document(draft)
    named = document.metadata("origin") if document else ""
    is_new = not workspace.library.skill_tree(workspace.base, draft.skill)
    return Origin(named) if is_new and named in _AGENTS else Origin.HUMAN
