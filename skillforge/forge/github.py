"""Proposals as pull requests of a repository on GitHub."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from skillforge import store
from skillforge.errors import ConfigError, ConflictError, RequestError, ToolError
from skillforge.forge import (
    Closing,
    ReviewPage,
    SettingChange,
    branch_protection,
    pull_request,
)
from skillforge.forge.github_address import find, is_github
from skillforge.forge.github_api import (
    ForbiddenError,
    RejectedError,
    parse_response,
)
from skillforge.forge.github_clone import GitHubClone, PushTarget
from skillforge.forge.github_comments import UNWRITTEN, PullRequestThread
from skillforge.forge.pull_request import Json
from skillforge.forge.registry import Clone
from skillforge.gitrepo import remote
from skillforge.gitrepo.ref_update import NewCommit, RefUpdate, Signature
from skillforge.model import Approval, Comment, Proposal, State, Verdict
from skillforge.policy import Policy

_REBASED = ("base_ref_changed", "automatic_base_change_succeeded")
_MOST_COMMITS = 250  # that GitHub lists
_READY = """mutation($id: ID!) {
  markPullRequestReadyForReview(input: {pullRequestId: $id}) { clientMutationId }
}"""
NAME = "github"


def recognises(url: str, host: str) -> bool:
    repository = find(url, host)
    return repository is not None and (bool(host) or is_github(repository))


def suggestion(url: str) -> str:
    if (repository := find(url)) is None:
        return ""
    return (
        f"proposals are kept in this repository: {repository.host} is not a known "
        "GitHub host (name it with GH_HOST or --host, or use `forge: local`)"
    )


def connect(clone: Clone) -> "GitHubForge | None":
    repository = find(clone.url, clone.host)
    if repository is None:
        return None
    is_named = bool(clone.host)
    hosted = GitHubClone(
        clone.repo, repository, clone.main, origin=clone.remote, is_named=is_named
    )
    return GitHubForge(hosted)


class GitHubForge:
    """The forge of a team: branches, pull requests, reviews and merges on GitHub."""

    label = "GitHub"
    is_local = False
    note = ""

    def __init__(self, hosted: GitHubClone) -> None:
        self.hosted = hosted
        self.repo = hosted.repo
        self.main = hosted.main
        self.address = str(hosted.place)
        self.unreadable: dict[int, ConfigError] = {}
        self.exclusive = store.ExclusiveLock(lambda: hosted.repo.common_dir)

    def fetch_main(self) -> None:
        self.hosted.fetch([])

    @contextmanager
    def batch(self) -> Iterator["GitHubForge"]:
        with self.exclusive():
            yield self  # others open pull requests at any time: nothing is cached

    @property
    def remote(self) -> remote.Remote:
        return self.hosted.remote

    def check_access(self) -> str:
        _ = self.hosted.token  # an error if there is none
        return f"found a token for {self.address}"

    def has_page(self, url: str) -> bool:
        return self.hosted.place.has_page(url)

    def number_of(self, commit: str) -> int | None:
        return self.hosted.number_of(commit)

    def share(self, ref: str, change: Callable[[], None]) -> None:
        self.hosted.share(ref, change)

    def wrong_settings(
        self, policy: Policy, owners: tuple[str, ...] | None
    ) -> list[SettingChange]:
        return branch_protection.plan(self.hosted, policy, owners)

    def drift(self, policy: Policy) -> list[str]:
        return branch_protection.drift(self.hosted, policy)

    def change_settings(self, changes: list[SettingChange]) -> None:
        branch_protection.apply(self.hosted.api, changes)

    def checks_url(self, proposal: Proposal) -> str:
        return f"{proposal.url}/checks"

    def checkout_command(self, proposal: Proposal) -> str:
        return f"gh pr checkout {proposal.number}"

    def user(self) -> tuple[str, str] | None:
        if self.hosted.me is None:
            raise RequestError(
                "the token does not belong to a user", hint="gh auth login"
            )
        name, _, mail = pull_request.identity(self.hosted.me).partition(" ")
        return name, mail.strip("<>")

    def proposals(self, *, only_open: bool = False) -> list[Proposal]:
        state = "open" if only_open else "all"
        order = {"sort": "created", "direction": "asc"}
        return self._convert(list(self.hosted.pulls(state=state, **order)))

    def proposals_at(self, head: str) -> list[Proposal]:
        """The open proposals whose branch is at a commit."""
        pulls = self.hosted.pulls(state="open")
        with parse_response("pulls"):
            return self._convert([p for p in pulls if p["head"]["sha"] == head])

    def _convert(self, pulls: list[Json]) -> list[Proposal]:
        self.hosted.fetch(pulls)
        main = self.repo.ref(self.main)
        with parse_response("pulls"):
            converted = [pull_request.proposal_of(self.repo, p, main) for p in pulls]
        return [proposal for proposal in converted if proposal is not None]

    def blocking_proposals(self) -> list[Proposal]:
        """A pull request from a fork does not block users with write access."""
        proposals = self.proposals(only_open=True)
        return [p for p in proposals if not (p.is_from_fork and self.hosted.may_push)]

    def detailed(self, proposals: list[Proposal]) -> list[Proposal]:
        return [self._with_state(p) if p.is_open else p for p in proposals]

    def get(self, number: int) -> Proposal:
        proposals = self._convert([self.hosted.pull(number)])
        if not proposals:
            raise RequestError(
                f"pull request {number} changes no skill", hint="skillforge proposals"
            )
        commits = list(self.hosted.of_pull(number, "commits"))
        if len(commits) >= _MOST_COMMITS:
            raise ConflictError(
                f"proposal {number} has more commits than GitHub lists authors for",
                hint="propose it as one draft: skillforge propose",
            )
        with parse_response("commits"):
            proposal = pull_request.with_makers(proposals[0], commits)
            comments = self._thread(number).comments()
            proposal = pull_request.with_comments(proposal, comments)
        return self._with_state(proposal)

    def with_reviews(self, proposal: Proposal) -> Proposal:
        """A proposal with its reviews; only users with write access count."""
        with parse_response("reviews"):
            decided = pull_request.decisions(
                self.hosted.of_pull(proposal.number, "reviews")
            )
            reviews = [review for review in decided if self.hosted.counts(review)]
            since = self._based_since(proposal.number) if reviews else 0
            return pull_request.with_reviews(self.repo, proposal, reviews, since)

    def _based_since(self, number: int) -> int:
        """When a pull request last changed its base branch; 0 if it never did."""
        events = self.hosted.of_issue(number, "events")
        moves = (event for event in events if event["event"] in _REBASED)
        times = (pull_request.seconds(event["created_at"]) + 1 for event in moves)
        return max(times, default=0)

    def _with_state(self, proposal: Proposal) -> Proposal:
        return self.with_reviews(self._with_checks(proposal))

    def _with_checks(self, proposal: Proposal) -> Proposal:
        """A proposal with the result of CI, which is shown but decides nothing."""
        path = f"{self.hosted.place.path}/commits/{proposal.head}/check-runs"
        runs = self.hosted.api.pages(path, "check_runs", check_name=pull_request.GATE)
        with suppress(ForbiddenError), parse_response(path):
            return pull_request.with_checks(proposal, runs)
        return proposal

    def open(
        self,
        commit: NewCommit,
        proposal: Proposal,
        by: Signature,
        replaces: Sequence[Closing] = (),
    ) -> tuple[Proposal, bool]:
        with self.repo.object_writer(commit.parents[0]) as commits:
            head = commits.branch_commit(commit)
        target = self.hosted.target()
        self.hosted.push(target.remote, proposal.branch, head)
        pull, is_new = self._opened(proposal, target)
        opened = self.get(pull["number"])
        for closing in replaces:  # only now that the new one exists
            self.close(*closing, by)
        return opened, is_new

    def _opened(self, proposal: Proposal, target: PushTarget) -> tuple[Json, bool]:
        head = f"{target.owner}:{proposal.branch}"

        def look() -> Json | None:
            return next(self.hosted.pulls(state="open", head=head), None)

        body = {
            "title": proposal.title,
            "head": head,
            "base": self.hosted.branch,
            "body": UNWRITTEN,
            "draft": proposal.is_draft,
        }
        path = f"{self.hosted.place.path}/pulls"
        try:
            return self.hosted.api.once("POST", path, body, look), True
        except RejectedError:
            if existing := look():  # another clone opened the same draft
                return existing, False
            raise

    def describe(
        self, proposal: Proposal, page: Callable[[Proposal], ReviewPage]
    ) -> None:
        self._thread(proposal.number).describe(page(proposal))

    def report(self, number: int, text: str) -> None:
        if self.hosted.may_push:  # a report by anyone else is not trusted
            self._thread(number).report(text)

    def _thread(self, number: int) -> PullRequestThread:
        return PullRequestThread(self.hosted.api, number, self.hosted.is_writer)

    def record_verdict(
        self, proposal: Proposal, verdict: Verdict, by: Signature
    ) -> Proposal:
        """The verdict is for the caller only; on GitHub, the run of CI counts."""
        return replace(proposal, verdict=verdict)

    def approve(
        self, proposal: Proposal, approval: Approval, by: Signature
    ) -> Proposal:
        def look() -> Proposal | None:
            now = self.with_reviews(proposal)
            is_in = any(a[:2] == (approval.by, approval.head) for a in now.approvals)
            return now if is_in else None

        if not self.hosted.may_push:
            raise ConflictError(
                f"{approval.by} has no write access: an approval would not count",
                hint="ask someone who has; or use --comment",
            )
        self._refuse_changed(proposal)
        body = {"commit_id": proposal.head, "event": "APPROVE"}
        self.hosted.api.once("POST", f"{self._path(proposal)}/reviews", body, look)
        return self.with_reviews(proposal)

    def _path(self, proposal: Proposal) -> str:
        return f"{self.hosted.place.path}/pulls/{proposal.number}"

    def comment(self, proposal: Proposal, comment: Comment, by: Signature) -> Proposal:
        self._thread(proposal.number).comment(comment.text)
        return replace(proposal, comments=(*proposal.comments, comment))

    def ensure_branch(self, proposal: Proposal) -> Proposal:
        """GitHub closes a pull request whose branch is deleted."""
        return proposal

    def mark_ready(self, proposal: Proposal, by: Signature) -> Proposal:
        node = self.hosted.pull(proposal.number)["node_id"]
        self.hosted.api.graphql(_READY, id=node)
        return replace(proposal, is_draft=False)

    def update(
        self, proposal: Proposal, commit: NewCommit, base: str, by: Signature
    ) -> Proposal:
        with self.repo.object_writer(base) as commits:
            head = commits.branch_commit(commit)
        target = self.hosted.remote
        if proposal.is_from_fork:
            fork = self.hosted.pull(proposal.number)["head"]["repo"]
            if fork is None:
                raise ConflictError(
                    f"the fork of proposal {proposal.number} was deleted",
                    hint="propose the draft again, with --supersede",
                )
            target = self.hosted.at(fork)
        ref = f"refs/heads/{proposal.branch}"
        remote.push(self.repo, target, RefUpdate(ref, head, proposal.head))
        self.hosted.wait_for(proposal.number, head)
        return self.get(proposal.number)

    def close(
        self, proposal: Proposal, state: State, comment: Comment, by: Signature
    ) -> Proposal:
        self._refuse_changed(proposal)
        thread = self._thread(proposal.number)
        thread.comment(comment.text)
        if state is State.EXPIRED:
            thread.label((pull_request.EXPIRED,))
        self.hosted.api.put("PATCH", self._path(proposal), {"state": "closed"})
        self._remove_branch(proposal)
        return replace(proposal, state=state)

    def _refuse_changed(self, proposal: Proposal) -> None:
        pull = self.hosted.pull(proposal.number)
        if pull["state"] != "open" or pull["head"]["sha"] != proposal.head:
            raise ConflictError(
                f"proposal {proposal.number} was changed by another process",
                hint=f"skillforge review {proposal.number} shows its current state",
            )

    def _remove_branch(self, proposal: Proposal) -> None:
        """The pull request keeps the commits; the branch may be deleted already."""
        if not proposal.is_from_fork:
            update = RefUpdate(f"refs/heads/{proposal.branch}", "", proposal.head)
            with suppress(ConflictError, ToolError):
                remote.push(self.repo, self.hosted.remote, update)

    def merge(self, proposal: Proposal, message: str, by: Signature) -> Proposal:
        """Merge exactly this head on GitHub, and verify the result."""
        self._refuse_changed(proposal)
        self.fetch_main()
        if self.repo.ref(self.main) != proposal.base:
            raise ConflictError(
                f"{self.hosted.branch} has moved since proposal {proposal.number} was "
                "checked",
                hint=f"skillforge refresh {proposal.number}",
            )
        merge = self._merge(proposal, message)
        self.hosted.fetch_main()
        self._remove_branch(proposal)
        self._verify(proposal, merge)
        return replace(proposal, state=State.MERGED, merge=merge)

    def _merge(self, proposal: Proposal, message: str) -> str:
        title, _, rest = message.partition("\n")

        def look() -> Json | None:
            pull: Json = self.hosted.api.get(self._path(proposal))
            return {"sha": pull["merge_commit_sha"]} if pull["merged_at"] else None

        body: dict[str, Any] = {
            "commit_title": title,
            "commit_message": rest.strip(),
            "merge_method": "merge",
            "sha": proposal.head,
        }
        path = f"{self._path(proposal)}/merge"
        try:
            return str(self.hosted.api.once("PUT", path, body, look)["sha"])
        except RejectedError as err:
            raise _unmergeable(proposal, err) from err

    def _verify(self, proposal: Proposal, merge: str) -> None:
        """GitHub checks the head, not the base: main may have moved in between."""
        tree = self.repo.name_of(f"{proposal.head}^{{tree}}")
        if self.repo.name_of(f"{merge}^{{tree}}") != tree:
            raise ConflictError(
                f"{self.hosted.branch} moved while proposal {proposal.number} was "
                f"merged: the result {merge[:12]} was not tested",
                hint="run skillforge test; to undo it: skillforge rollback. After "
                "`skillforge protect`, GitHub prevents this",
            )

    def mark_merged(self, proposal: Proposal, merge: str, by: Signature) -> Proposal:
        """GitHub records its merges."""
        return replace(proposal, state=State.MERGED, merge=merge)


def _unmergeable(proposal: Proposal, err: RejectedError) -> ConflictError:
    number = proposal.number
    hint = f"the pull request shows what is missing: {proposal.url}"
    if err.status == 409:
        hint = f"its branch changed: skillforge review {number}, and approve again"
    if "Base branch was modified" in err.words:
        hint = f"its base moved: run skillforge refresh {number}"
    if "not allowed" in err.words:
        hint = "the repository must allow merge commits: run skillforge protect"
    return ConflictError(f"GitHub refuses to merge {number}: {err.words}", hint=hint)
