"""The part of `Library` that learns: sessions in, examples, patterns and drafts out."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from skillforge import workflows

if TYPE_CHECKING:
    from skillforge.learn.brief import SessionBrief
    from skillforge.learn.capture import CaptureResult
    from skillforge.learn.export import Export
    from skillforge.library import Library as LibraryFiles
    from skillforge.propose.submit import Submission
    from skillforge.propose.workspace import Workspace
    from skillforge.workflows.draft import DraftResult
    from skillforge.workflows.examples import (
        DecidedExamples,
        ExampleDetail,
        ExampleList,
    )
    from skillforge.workflows.patterns import PatternDetail, PatternList


class LearnMethods:
    """A library that learns from sessions, as one person or agent sees it."""

    def __init__(self, root: Path, user: str | None = None) -> None:
        self.root = root
        self.user = user

    def _workspace(self, user: str | None = None) -> "Workspace":
        return workflows.workspaces.open_workspace(self.root, user or self.user)

    def _files(self) -> "LibraryFiles":
        return workflows.workspaces.open_library(self.root)

    def capture(
        self,
        *transcripts: str | Path,
        since: datetime | None = None,
        reviewed_by: str = "",
        outcome: str = "",
        dry_run: bool = False,
    ) -> "CaptureResult":
        """Read transcripts, redact them, and keep what is worth learning from.

        With `reviewed_by`, plain examples are approved in that name, and `outcome` is
        what the reviewer observed where a transcript has no outcome.
        """
        options = workflows.capture.CaptureOptions(
            since=since, reviewed_by=reviewed_by, outcome=outcome, is_dry_run=dry_run
        )
        files = [Path(path) for path in transcripts]
        return workflows.capture.capture_files(self._files(), files, options)

    def examples(self, status: str = "", outcome: str = "") -> "ExampleList":
        """The examples with a review status and an outcome, the oldest first."""
        only = workflows.examples.ExampleFilter(status, outcome)
        return workflows.examples.list_examples(self._files(), only)

    def example(self, number: str) -> "ExampleDetail":
        """One example by id or its prefix, redacted."""
        return workflows.examples.show(self._files(), number)

    def approve_examples(
        self, *numbers: str, reason: str = "", outcome: str = "", by: str | None = None
    ) -> "DecidedExamples":
        """Approve examples; without ids, all that a test or a verifier proved."""
        library, reviewer = self._files(), by or self.user or ""
        if not numbers:
            return workflows.examples.approve_verified(library, reviewer, reason)
        return workflows.examples.approve(library, numbers, reviewer, reason, outcome)

    def reject_examples(
        self, numbers: Iterable[str], reason: str, *, by: str | None = None
    ) -> "DecidedExamples":
        """Reject examples: nothing is learned from them."""
        reviewer = by or self.user or ""
        return workflows.examples.reject(
            self._files(), tuple(numbers), reviewer, reason
        )

    def patterns(self, *, rebuild: bool = False) -> "PatternList":
        """What repeats in approved examples; `rebuild` forgets earlier patterns."""
        return workflows.patterns.list_patterns(self._files(), rebuild=rebuild)

    def pattern(self, number: str) -> "PatternDetail":
        """One pattern by id or its prefix, and the inputs that vary in it."""
        return workflows.patterns.show(self._files(), number)

    def draft(
        self, pattern: str, *, name: str = "", into: str = "", write: bool = False
    ) -> "DraftResult":
        """Draft a skill from a pattern; `write` puts its files into the checkout.

        `name` is for a new skill, `into` names a skill to edit.
        """
        options = workflows.draft.DraftOptions(name, into)
        drafted = workflows.draft.draft(self._files(), pattern, options)
        return workflows.draft.write(self._files(), drafted) if write else drafted

    def propose_draft(self, drafted: "DraftResult", why: str = "") -> "Submission":
        """Propose a draft without writing it to the checkout."""
        batch = workflows.draft.propose(self._workspace(), drafted, why)
        return batch.submissions[0]

    def export(self, folder: str | Path, *, force: bool = False) -> "Export":
        """Write approved examples as training data to a folder outside the library."""
        return workflows.export.export(self._files(), Path(folder), force=force)

    def brief(self, subject: str) -> "SessionBrief":
        """A brief for an agent on a transcript (a path) or a pattern (its id)."""
        return workflows.brief.brief(self._files(), subject)
