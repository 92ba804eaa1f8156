"""Proposals as pull requests of a repository on GitHub."""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote

from skillforge import store
from skillforge.errors import ConfigError, ConflictError, RequestError, ToolError
from skillforge.forge import PULLS, Admit, Page, pulls
from skillforge.forge.place import Place, token
from skillforge.forge.pulls import Json
from skillforge.forge.thread import UNWRITTEN, Thread, is_report
from skillforge.forge.wire import (
    ForbiddenError,
    NotThereError,
    RefusedError,
    Wire,
)
from skillforge.gitrepo import GitRepo, remote
from skillforge.gitrepo.remote import Remote
from skillforge.gitrepo.writing import NewCommit, RefUpdate, Who
from skillforge.model import Approval, Comment, Proposal, State, Verdict

_READY = """mutation($id: ID!) {
  markPullRequestReadyForReview(input: {pullRequestId: $id}) { clientMutationId }
}"""


class _Target(NamedTuple):
    """Where a branch is pushed to: the repository itself, or the caller's fork."""

    remote: Remote
    owner: str


class GitHubForge:
    """The forge of a team: branches, pull requests, reviews and merges on GitHub."""

    is_here = False

    def __init__(
        self, repo: GitRepo, place: Place, main: str, *, origin: str, is_named: bool
    ) -> None:
        self.repo = repo
        self.place = place
        self.branch = main
        self.main = f"refs/remotes/{origin}/{main}"
        self.unreadable: dict[int, ConfigError] = {}
        self.alone = store.Alone(lambda: repo.common_dir)
        self._origin = origin
        self._is_named = is_named

    @cached_property
    def wire(self) -> Wire:
        return Wire(self.place, self._token)

    @cached_property
    def _token(self) -> str:
        return token(self.place, is_named=self._is_named)

    @cached_property
    def remote(self) -> Remote:
        return Remote(self._origin, remote.let_in(self.place.web, self._token))

    def look(self) -> None:
        self._bring([])

    @cached_property
    def me(self) -> Json | None:
        """Who the token is of; None for that of an app, which is nobody."""
        try:
            user: Json = self.wire.get("/user")
        except (ForbiddenError, NotThereError):
            return None
        return user

    def user(self) -> tuple[str, str] | None:
        if self.me is None:
            raise RequestError(
                "the token is of no person", hint="gh auth login, as yourself"
            )
        name, _, mail = pulls.identity(self.me).partition(" ")
        return name, mail.strip("<>")

    def proposals(self, *, only_open: bool = False) -> list[Proposal]:
        state = "open" if only_open else "all"
        order = {"sort": "created", "direction": "asc"}
        path = f"{self.place.path}/pulls"
        found = list(self.wire.pages(path, state=state, base=self.branch, **order))
        self._bring(found)
        main = self.repo.ref(self.main)
        known = (pulls.proposal_of(self.repo, pull, main) for pull in found)
        return [proposal for proposal in known if proposal is not None]

    def detailed(self, proposals: list[Proposal]) -> list[Proposal]:
        return [self._with_state(p) if p.is_open else p for p in proposals]

    def get(self, number: int) -> Proposal:
        pull = self._pull(number)
        self._bring([pull])
        found = pulls.proposal_of(self.repo, pull, self.repo.ref(self.main))
        if found is None:
            raise RequestError(
                f"pull request {number} is about no skill", hint="skillforge proposals"
            )
        found = pulls.with_makers(found, self._pages_of(number, "commits"))
        comments = self.wire.pages(f"{self.place.path}/issues/{number}/comments")
        remarks = (it for it in comments if not is_report(it))
        return self._with_state(pulls.with_comments(found, remarks))

    def with_reviews(self, proposal: Proposal) -> Proposal:
        """The same with what reviewers decided."""
        reviews = self._pages_of(proposal.number, "reviews")
        return pulls.with_reviews(self.repo, proposal, reviews)

    def _with_state(self, proposal: Proposal) -> Proposal:
        runs = self.wire.pages(
            f"{self.place.path}/commits/{proposal.head}/check-runs",
            "check_runs",
            check_name=pulls.GATE,
        )
        return self.with_reviews(pulls.with_checks(proposal, runs))

    def _pages_of(self, number: int, what: str) -> Iterable[Json]:
        return self.wire.pages(f"{self.place.path}/pulls/{number}/{what}")

    def _pull(self, number: int) -> Json:
        try:
            pull: Json = self.wire.get(f"{self.place.path}/pulls/{number}")
        except NotThereError as err:
            raise RequestError(
                f"there is no proposal {number}", hint="skillforge proposals --all"
            ) from err
        return pull

    def _bring(self, found: Iterable[Json]) -> None:
        """Fetch main and the heads of pull requests, as far as they are not here."""
        wanted = []
        main = self.wire.get(f"{self.place.path}/git/ref/heads/{quote(self.branch)}")
        if self.repo.ref(self.main) != main["object"]["sha"]:
            wanted.append(f"+refs/heads/{self.branch}:{self.main}")
        for pull in found:
            number = pull["number"]
            if self.repo.ref(f"{PULLS}{number}") != pull["head"]["sha"]:
                wanted.append(f"+refs/pull/{number}/head:{PULLS}{number}")
        if wanted:
            remote.fetch(self.repo, self.remote, wanted)

    def number_of(self, commit: str) -> int | None:
        """The pull request that brought a commit to main."""
        found = self.wire.pages(f"{self.place.path}/commits/{commit}/pulls")
        merged = (it for it in found if it["merged_at"])
        here = (it for it in merged if it["base"]["ref"] == self.branch)
        return next((int(it["number"]) for it in here), None)

    def share(self, ref: str, change: Callable[[], None]) -> None:
        """Change a ref that others write, too, and push it; again if they did."""
        for tries_left in (2, 1, 0):
            before = remote.heads(self.repo, self.remote, ref).get(ref, "")
            if before:
                remote.fetch(self.repo, self.remote, [f"+{ref}:{ref}"])
            change()
            update = RefUpdate(ref, self.repo.ref(ref), before)
            try:
                if update.new != before:
                    remote.push(self.repo, self.remote, update)
                break
            except ConflictError:
                if not tries_left:
                    raise

    def open(
        self, commit: NewCommit, proposal: Proposal, by: Who, admit: Admit
    ) -> tuple[Proposal, bool]:
        with self.alone():
            if there := admit(self.proposals(only_open=True)):
                return there, False
            with self.repo.making(commit.parents[0]) as commits:
                head = commits.commit(commit)
            target = self._target()
            self._push(target.remote, proposal.branch, head)
            pull, is_new = self._opened(proposal, target)
        return self.get(pull["number"]), is_new

    def _target(self) -> _Target:
        about = self.wire.get(self.place.path)
        if about.get("permissions", {}).get("push", True):
            return _Target(self.remote, self.place.owner)
        fork = self.wire.put("POST", f"{self.place.path}/forks", {})
        url = self._url_of(fork)
        target = _Target(Remote(url, self.remote.access), fork["owner"]["login"])
        for pause in (1, 2, 4, 8, 0):  # GitHub answers before the fork is there
            with suppress(ToolError):
                if remote.heads(self.repo, target.remote):
                    break
            time.sleep(pause)
        return target

    def _url_of(self, about: Json) -> str:
        """How to reach another repository: by SSH, if that is how we reach ours."""
        _name, url = remote.origin(self.repo)
        is_http = url.startswith(("http://", "https://"))
        return str(about["clone_url" if is_http else "ssh_url"])

    def _push(self, target: Remote, branch: str, head: str) -> None:
        """Put a commit on a branch; one that an earlier try left there is replaced."""
        ref = f"refs/heads/{branch}"
        before = remote.heads(self.repo, target, ref).get(ref, "")
        if before and not self._is_ours(target, before, head):
            raise ConflictError(
                f"the branch {branch} on GitHub holds work that no proposal knows",
                hint=f"look at it, then remove it: git push origin :{branch}",
            )
        remote.push(self.repo, target, RefUpdate(ref, head, before))

    def _is_ours(self, target: Remote, there: str, head: str) -> bool:
        """Whether a branch holds one commit that says the same as ours."""
        remote.fetch(self.repo, target, [there])
        theirs, ours = (
            [line for line in c.message.split("\n") if line.startswith("Draft-Digest:")]
            for name in (there, head)
            for c in self.repo.log("--max-count=1", name)
        )
        return theirs == ours

    def _opened(self, proposal: Proposal, target: _Target) -> tuple[Json, bool]:
        path = f"{self.place.path}/pulls"
        head = f"{target.owner}:{proposal.branch}"

        def look() -> Json | None:
            asked = {"state": "open", "head": head, "base": self.branch}
            return next(self.wire.pages(path, **asked), None)

        body = {
            "title": proposal.title,
            "head": head,
            "base": self.branch,
            "body": UNWRITTEN,
            "draft": proposal.is_draft,
        }
        try:
            return self.wire.once("POST", path, body, look), True
        except RefusedError:
            if there := look():  # somebody was faster, with the same draft
                return there, False
            raise

    def describe(self, proposal: Proposal, page: Callable[[Proposal], Page]) -> None:
        self._thread(proposal.number).describe(page(proposal))

    def report(self, number: int, text: str) -> None:
        self._thread(number).report(text)

    def _thread(self, number: int) -> Thread:
        return Thread(self.wire, number)

    def judge(self, proposal: Proposal, verdict: Verdict, by: Who) -> Proposal:
        """What counts on GitHub is the run there; ours is for whoever asked."""
        return replace(proposal, verdict=verdict)

    def approve(self, proposal: Proposal, approval: Approval, by: Who) -> Proposal:
        number = proposal.number

        def look() -> Proposal | None:
            now = self.get(number)
            is_in = any(a[:2] == (approval.by, approval.head) for a in now.approvals)
            return now if is_in else None

        self._refuse_changed(proposal)
        body = {"commit_id": proposal.head, "event": "APPROVE"}
        self.wire.once("POST", f"{self.place.path}/pulls/{number}/reviews", body, look)
        return self.get(number)

    def comment(self, proposal: Proposal, comment: Comment, by: Who) -> Proposal:
        self._thread(proposal.number).say(comment.text)
        return self.get(proposal.number)

    def keep(self, proposal: Proposal) -> Proposal:
        """GitHub closes what has lost its branch."""
        return proposal

    def ready(self, proposal: Proposal, by: Who) -> Proposal:
        self.wire.graphql(_READY, id=self._pull(proposal.number)["node_id"])
        return replace(proposal, is_draft=False)

    def update(
        self, proposal: Proposal, commit: NewCommit, base: str, by: Who
    ) -> Proposal:
        with self.repo.making(base) as commits:
            head = commits.commit(commit)
        there = self._pull(proposal.number)["head"]["repo"] or {}
        target = self.remote
        if there.get("full_name") != self._full_name:
            target = Remote(self._url_of(there), self.remote.access)
        ref = f"refs/heads/{proposal.branch}"
        remote.push(self.repo, target, RefUpdate(ref, head, proposal.head))
        return self.get(proposal.number)

    def close(
        self, proposal: Proposal, state: State, comment: Comment, by: Who
    ) -> Proposal:
        self._refuse_changed(proposal)
        thread = self._thread(proposal.number)
        thread.say(comment.text)
        if state is State.EXPIRED:
            thread.label((pulls.EXPIRED,))
        path = f"{self.place.path}/pulls/{proposal.number}"
        self.wire.put("PATCH", path, {"state": "closed"})
        self._remove_branch(proposal)
        return self.get(proposal.number)

    def _refuse_changed(self, proposal: Proposal) -> None:
        pull = self._pull(proposal.number)
        if pull["state"] != "open" or pull["head"]["sha"] != proposal.head:
            raise ConflictError(
                f"proposal {proposal.number} changed meanwhile", hint="look, try again"
            )

    def _remove_branch(self, proposal: Proposal) -> None:
        """The pull request keeps the commits; a branch that is gone is fine, too."""
        head = self._pull(proposal.number)["head"]
        if (head["repo"] or {}).get("full_name") != self._full_name:
            return
        ref = f"refs/heads/{proposal.branch}"
        with suppress(ConflictError, ToolError):
            remote.push(self.repo, self.remote, RefUpdate(ref, "", proposal.head))

    @property
    def _full_name(self) -> str:
        return f"{self.place.owner}/{self.place.name}"

    def merge(self, proposal: Proposal, message: str, by: Who) -> Proposal:
        """Let GitHub merge exactly this head, then see that main holds just that."""
        self._refuse_changed(proposal)
        self.look()
        if self.repo.ref(self.main) != proposal.base:
            raise ConflictError(
                f"{self.branch} has moved since proposal {proposal.number} was judged",
                hint=f"skillforge refresh {proposal.number}",
            )
        path = f"{self.place.path}/pulls/{proposal.number}"
        title, _, rest = message.partition("\n")

        def look() -> Json | None:
            pull: Json = self.wire.get(path)
            return {"sha": pull["merge_commit_sha"]} if pull["merged_at"] else None

        body: dict[str, Any] = {
            "commit_title": title,
            "commit_message": rest.strip(),
            "merge_method": "merge",
            "sha": proposal.head,
        }
        try:
            merged = self.wire.once("PUT", f"{path}/merge", body, look)
        except RefusedError as err:
            raise _unmergeable(proposal, err) from err
        self.look()
        self._remove_branch(proposal)
        self._verify(proposal, merged["sha"])
        return replace(proposal, state=State.MERGED, merge=merged["sha"])

    def _verify(self, proposal: Proposal, merge: str) -> None:
        """GitHub checks the head, not the base: main may have moved in between."""
        tree = self.repo.name_of(f"{proposal.head}^{{tree}}")
        if self.repo.name_of(f"{merge}^{{tree}}") != tree:
            raise ConflictError(
                f"{self.branch} moved while proposal {proposal.number} was merged: "
                f"what {merge[:12]} holds was not tested together",
                hint="skillforge test; skillforge rollback takes it back. `skillforge "
                "protect` makes GitHub refuse this",
            )

    def mark_merged(self, proposal: Proposal, merge: str, by: Who) -> Proposal:
        """GitHub notes its merges itself."""
        return replace(proposal, state=State.MERGED, merge=merge)


def _unmergeable(proposal: Proposal, err: RefusedError) -> ConflictError:
    number = proposal.number
    hint = f"what is missing is told there: {proposal.url}"
    if err.status == 409:
        hint = f"its branch changed: skillforge review {number}, and approve it again"
    if "not allowed" in err.words:
        hint = "merge commits have to be allowed: skillforge protect"
    return ConflictError(f"GitHub does not merge {number}: {err.words}", hint=hint)
