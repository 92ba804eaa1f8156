"""A gate's report: write it to files, and post it on a pull request."""

from dataclasses import dataclass
from pathlib import Path

from skillforge.errors import RequestError, unwritable
from skillforge.forge import HostedForge
from skillforge.forge.proposal_record import dump_verdict, load_verdict
from skillforge.library import Library
from skillforge.model import Verdict
from skillforge.propose import review_page
from skillforge.propose.workspace import Workspace
from skillforge.workflows import documents


@dataclass(frozen=True, slots=True)
class PostedReport:
    """The proposals that show a report now, and whether the gate passed."""

    proposals: tuple[int, ...]
    is_passed: bool


def write(folder: Path, library: Library, verdict: Verdict) -> None:
    """Write gate.json, gate.md and gate.sarif to a folder."""
    sarif = documents.of_verdict("sarif", verdict, library) or ""
    files = {
        "gate.json": dump_verdict(verdict),
        "gate.md": review_page.report(verdict).encode(),
        "gate.sarif": sarif.encode(),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except OSError as err:
        raise unwritable(folder, err) from err


def post(
    workspace: Workspace, forge: HostedForge, file: Path, head: str, run: str = ""
) -> PostedReport:
    """Show a gate.json on the proposals whose branch is at `head`.

    The file may come from an untrusted run: it must be about `head`, and `run` must be
    a page of the repository.
    """
    try:
        verdict = load_verdict(file.read_bytes())
    except OSError as err:
        raise RequestError(
            f"{file} cannot be read: {err.strerror}", hint="name the gate.json of a run"
        ) from err
    if verdict.head != head:
        raise RequestError(
            f"the report is about {verdict.head[:12]}, not {head[:12]}",
            hint="--head is the commit that the gate ran on",
        )
    if run and not forge.has_page(run):
        raise RequestError(
            f"{run!r} is not a page of {forge.address}", hint="omit --run"
        )
    proposals = forge.proposals_at(head)
    for proposal in proposals:
        doubts = review_page.doubts(workspace.library, proposal, verdict)
        forge.report(proposal.number, review_page.report(verdict, doubts, run))
    return PostedReport(tuple(p.number for p in proposals), verdict.passed)
