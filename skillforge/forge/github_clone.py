"""A repository on GitHub and a clone of it: transfers, users, pull requests."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote

from skillforge.errors import ConflictError, RequestError, ToolError
from skillforge.forge import PULLS
from skillforge.forge.github_address import GitHubRepository, find_token
from skillforge.forge.github_api import (
    PAUSES,
    ForbiddenError,
    GitHubApi,
    NotFoundError,
    RejectedError,
    parse_response,
)
from skillforge.forge.pull_request import Json
from skillforge.gitrepo import GitRepo, branches, remote
from skillforge.gitrepo.ref_update import RefUpdate
from skillforge.gitrepo.remote import Remote


class PushTarget(NamedTuple):
    """Where a branch is pushed to: the repository itself, or the caller's fork."""

    remote: Remote
    owner: str


class GitHubClone:
    """Queries GitHub about pull requests and users, and fetches and pushes."""

    def __init__(
        self,
        repo: GitRepo,
        place: GitHubRepository,
        branch: str,
        *,
        origin: str,
        is_named: bool,
    ) -> None:
        self.repo = repo
        self.place = place
        self.branch = branch
        self.main = f"refs/remotes/{origin}/{branch}"
        self._origin = origin
        self._is_named = is_named
        self._writers: dict[str, bool] = {}

    @cached_property
    def api(self) -> GitHubApi:
        return GitHubApi(self.place, self.token)

    @cached_property
    def token(self) -> str:
        return find_token(self.place, is_named=self._is_named)

    @cached_property
    def remote(self) -> Remote:
        return Remote(self._origin, remote.token_access(self.place.web, self.token))

    @cached_property
    def me(self) -> Json | None:
        """The user of the token; None for the token of an app."""
        try:
            user: Json = self.api.get("/user")
        except (ForbiddenError, NotFoundError):
            return None
        return user

    @cached_property
    def about(self) -> Json:
        """GitHub's description of the repository; its default branch must be ours."""
        about: Json = self.api.get(self.place.path)
        default = about.get("default_branch", self.branch)
        if default != self.branch and not branches.recorded(self.repo):
            raise self._renamed(default)
        return about

    def _renamed(self, default: str) -> ConflictError:
        return ConflictError(
            f"the default branch of {self.place} is now {default}, not {self.branch}",
            hint="git fetch origin && git remote set-head origin --auto; if proposals "
            f"still go to {self.branch}: git config {branches.KEY} {self.branch}",
        )

    @property
    def may_push(self) -> bool:
        return bool(self.about.get("permissions", {}).get("push", True))

    def is_writer(self, user: Json) -> bool:
        """Whether a user has write access; no, if that is unknown."""
        login = str(user.get("login", ""))
        if login not in self._writers:
            path = f"{self.place.path}/collaborators/{quote(login)}/permission"
            try:
                permission = self.api.get(path)["permission"]
            except (ForbiddenError, NotFoundError):
                permission = "none"
            self._writers[login] = permission in ("admin", "write")
        return self._writers[login]

    def counts(self, review: Json) -> bool:
        """Whether the reviewer has write access.

        Without write access, we may not ask, and use the association in the review.
        """
        if self.may_push:
            return self.is_writer(review["user"])
        return review["author_association"] in ("OWNER", "MEMBER", "COLLABORATOR")

    def pull(self, number: int) -> Json:
        """A pull request to main."""
        try:
            pull: Json = self.api.get(f"{self.place.path}/pulls/{number}")
        except NotFoundError as err:
            raise RequestError(
                f"no such proposal: {number}", hint="skillforge proposals --all"
            ) from err
        with parse_response("pulls"):
            goes_to = pull["base"]["ref"]
        if goes_to != self.branch:
            raise RequestError(
                f"pull request {number} goes to {goes_to}",
                hint=f"only those to {self.branch} are proposals",
            )
        return pull

    def pulls(self, **filters: Any) -> Iterator[Json]:
        path = f"{self.place.path}/pulls"
        return self.api.pages(path, base=self.branch, **filters)

    def of_pull(self, number: int, what: str) -> Iterator[Json]:
        return self.api.pages(f"{self.place.path}/pulls/{number}/{what}")

    def of_issue(self, number: int, what: str) -> Iterator[Json]:
        return self.api.pages(f"{self.place.path}/issues/{number}/{what}")

    def wait_for(self, number: int, head: str) -> None:
        """Wait until GitHub has processed a push."""
        for pause in (*PAUSES, 0):
            if self.pull(number)["head"]["sha"] == head:
                return
            time.sleep(pause)

    def number_of(self, commit: str) -> int | None:
        """The pull request that brought a commit to main."""
        pulls = self.api.pages(f"{self.place.path}/commits/{commit}/pulls")
        merged = (pull for pull in pulls if pull["merged_at"])
        here = (pull for pull in merged if pull["base"]["ref"] == self.branch)
        return next((int(pull["number"]) for pull in here), None)

    def fetch(self, pulls: Iterable[Json]) -> None:
        """Fetch main and the heads of pull requests, unless they are up to date."""
        path = f"{self.place.path}/git/ref/heads/{quote(self.branch)}"
        try:
            answer = self.api.get(path)
        except (NotFoundError, RejectedError) as err:
            default = self.about.get("default_branch", self.branch)
            if default != self.branch:
                raise self._renamed(default) from err
            raise ConflictError(
                f"{self.place} has no branch {self.branch} yet",
                hint=f"git push --set-upstream origin {self.branch}",
            ) from err
        with parse_response(path):
            tip = answer["object"]["sha"]
            heads = {int(pull["number"]): pull["head"]["sha"] for pull in pulls}
        refspecs = [
            f"+refs/pull/{number}/head:{PULLS}{number}"
            for number, head in heads.items()
            if self.repo.ref(f"{PULLS}{number}") != head
        ]
        refspecs += [self._main_spec] if self.repo.ref(self.main) != tip else []
        if refspecs:
            remote.fetch(self.repo, self.remote, refspecs)

    def fetch_main(self) -> None:
        """Fetch main without asking the API first, which may be out of date."""
        remote.fetch(self.repo, self.remote, [self._main_spec])

    @property
    def _main_spec(self) -> str:
        return f"+refs/heads/{self.branch}:{self.main}"

    def target(self) -> PushTarget:
        """Where to push branches."""
        if self.may_push:
            return PushTarget(self.remote, self.place.owner)
        fork = self.api.put("POST", f"{self.place.path}/forks", {})
        target = PushTarget(self.at(fork), fork["owner"]["login"])
        for pause in (1, 2, 4, 8, 0):  # GitHub creates the fork asynchronously
            with suppress(ToolError):
                if remote.heads(self.repo, target.remote):
                    break
            time.sleep(pause)
        return target

    def at(self, about: Json) -> Remote:
        """Another repository as a remote, over the same protocol as this one."""
        _name, url = remote.origin(self.repo)
        is_http = url.startswith(("http://", "https://"))
        where = str(about["clone_url" if is_http else "ssh_url"])
        return Remote(where, self.remote.access)

    def push(self, target: Remote, branch: str, head: str) -> None:
        """Push a commit to a branch; the result of an earlier attempt is replaced."""
        ref = f"refs/heads/{branch}"
        before = remote.heads(self.repo, target, ref).get(ref, "")
        if before and not self._is_same_draft(target, before, head):
            raise ConflictError(
                f"the branch {branch} on GitHub has commits that belong to no proposal",
                hint=f"check it, then delete it: git push origin :{branch}",
            )
        remote.push(self.repo, target, RefUpdate(ref, head, before))

    def _is_same_draft(self, target: Remote, existing: str, head: str) -> bool:
        """Whether the tip of a branch has the same draft digest as our commit."""
        remote.fetch(self.repo, target, [existing])
        theirs, ours = (
            [line for line in c.message.split("\n") if line.startswith("Draft-Digest:")]
            for name in (existing, head)
            for c in self.repo.log("--max-count=1", name)
        )
        return theirs == ours

    def share(self, ref: str, change: Callable[[], None]) -> None:
        """Fetch a ref, change it and push it; again if others pushed meanwhile."""
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
