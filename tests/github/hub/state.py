"""What the hub knows: accounts, repositories, pull requests, and what hangs on them."""

import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.github.hub.bare import UPDATE_HOOK, Bare, Signature, stamp

ROLES = ("none", "read", "triage", "write", "admin")
GITHUB = Signature("GitHub", "noreply@github.com")
ACTIONS_APP = 15368
DEFAULT_LABELS = (
    ("bug", "d73a4a", "Something isn't working"),
    ("documentation", "0075ca", "Improvements or additions to documentation"),
    ("duplicate", "cfd3d7", "This issue or pull request already exists"),
    ("enhancement", "a2eeef", "New feature or request"),
    ("good first issue", "7057ff", "Good for newcomers"),
    ("help wanted", "008672", "Extra attention is needed"),
    ("invalid", "e4e669", "This doesn't seem right"),
    ("question", "d876e3", "Further information is requested"),
    ("wontfix", "ffffff", "This will not be worked on"),
)


def default_settings(private: bool) -> dict[str, Any]:
    return {
        "description": None,
        "homepage": None,
        "private": private,
        "default_branch": "main",
        "has_issues": True,
        "has_projects": True,
        "has_wiki": True,
        "is_template": False,
        "archived": False,
        "allow_merge_commit": True,
        "allow_squash_merge": True,
        "allow_rebase_merge": True,
        "allow_auto_merge": False,
        "allow_update_branch": False,
        "delete_branch_on_merge": False,
        "use_squash_pr_title_as_default": False,
        "squash_merge_commit_title": "COMMIT_OR_PR_TITLE",
        "squash_merge_commit_message": "COMMIT_MESSAGES",
        "merge_commit_title": "MERGE_MESSAGE",
        "merge_commit_message": "PR_TITLE",
        "web_commit_signoff_required": False,
    }


class RefusedError(Exception):
    """An answer of the API that is not a success."""

    def __init__(
        self,
        status: int,
        message: str,
        errors: list[dict[str, str]] | list[str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = errors


def now() -> str:
    return stamp(time.time())


@dataclass(eq=False)
class User:
    """An account; an organization is one too."""

    login: str
    id: int
    token: str
    mail: str = ""
    kind: str = "User"

    @property
    def noreply(self) -> str:
        return f"{self.id}+{self.login}@users.noreply.github.com"

    @property
    def signature(self) -> Signature:
        return Signature(self.login, self.noreply)

    @property
    def mails(self) -> set[str]:
        old = f"{self.login}@users.noreply.github.com"
        return {mail.lower() for mail in (self.mail, self.noreply, old) if mail}


@dataclass(eq=False)
class Label:
    id: int
    name: str
    color: str
    description: str | None = None
    default: bool = False


@dataclass(eq=False)
class Comment:
    id: int
    number: int
    author: User
    body: str
    created: str = field(default_factory=now)
    changed: str = field(default_factory=now)


@dataclass(eq=False)
class Review:
    id: int
    author: User
    state: str
    body: str
    commit: str
    created: str = field(default_factory=now)


@dataclass(frozen=True)
class Check:
    """A check run; one without a conclusion is still running."""

    id: int
    name: str
    sha: str
    conclusion: str | None
    created: str


@dataclass(eq=False)
class Pull:
    """A pull request; while it is open, `head_sha` and `base_sha` follow the refs."""

    id: int
    number: int
    author: User
    title: str
    body: str | None
    repo: "Repo"
    base: str
    head: "Repo"
    branch: str
    head_sha: str
    base_sha: str
    draft: bool = False
    open: bool = True
    created: str = field(default_factory=now)
    changed: str = field(default_factory=now)
    closed_at: str | None = None
    merged_at: str | None = None
    merged_by: User | None = None
    landed: list[str] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)  # when it got another base

    @property
    def label(self) -> str:
        return f"{self.head.owner.login}:{self.branch}"

    def touch(self) -> None:
        self.changed = now()

    def close(self) -> None:
        self.open = False
        self.closed_at = self.changed = now()

    def landed_as(self, shas: list[str], by: User | None) -> None:
        self.close()
        self.landed, self.merged_by, self.merged_at = shas, by, self.closed_at


@dataclass(eq=False)
class Asset:
    """A file of a release; one whose upload broke off is `open`."""

    id: int
    name: str
    data: bytes
    uploader: User
    state: str = "uploaded"
    created: str = field(default_factory=now)


@dataclass(eq=False)
class Release:
    """A release; only those who may push see a draft."""

    id: int
    tag: str
    author: User
    name: str | None = None
    body: str | None = None
    draft: bool = True
    prerelease: bool = False
    published: str | None = None
    assets: list[Asset] = field(default_factory=list)
    created: str = field(default_factory=now)


class Repo:
    """A repository: settings in memory, commits in a real bare repository."""

    def __init__(self, hub: "State", full_name: str, private: bool) -> None:
        owner, self.name = full_name.split("/")
        self.hub = hub
        self.owner = hub.account(owner)
        self.id = hub.next_id()
        self.bare = Bare(hub.root / "repos" / self.owner.login / f"{self.name}.git")
        self.settings = default_settings(private)
        self.topics: list[str] = []
        self.roles: dict[str, str] = {}
        self.parent: Repo | None = None
        self.pulls: dict[int, Pull] = {}
        self.checks: list[Check] = []
        self.releases: list[Release] = []
        self.latest: Release | None = None
        self.rulesets: dict[int, dict[str, Any]] = {}
        self.labels = [
            Label(hub.next_id(), name, color, words, default=True)
            for name, color, words in DEFAULT_LABELS
        ]
        self.created = now()

    @property
    def path(self) -> Path:
        return self.bare.path

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    @property
    def open_pulls(self) -> list[Pull]:
        return [pull for pull in self.pulls.values() if pull.open]

    def git(self, *args: str) -> str:
        """Run git in the bare repository."""
        return self.bare.git(*args)

    def role(self, user: User | None) -> str:
        if user is self.owner:
            return "admin"
        least = "none" if self.settings["private"] else "read"
        return self.roles.get(user.login, least) if user else least

    def allows(self, user: User | None, role: str) -> bool:
        return ROLES.index(self.role(user)) >= ROLES.index(role)

    def label(self, name: str) -> Label | None:
        same = (lab for lab in self.labels if lab.name.lower() == name.lower())
        return next(same, None)

    def add_label(
        self, name: str, color: str = "ededed", description: str | None = None
    ) -> Label:
        label = Label(self.hub.next_id(), name, color, description)
        self.labels.append(label)
        return label

    def check(self, sha: str, name: str, conclusion: str | None = "success") -> Check:
        """Report a check run of GitHub Actions; None means that it still runs."""
        with self.hub.lock:
            check = Check(self.hub.next_id(), name, sha, conclusion, now())
            self.checks.append(check)
            return check

    def review(
        self, number: int, login: str, event: str = "APPROVE", body: str = ""
    ) -> Review:
        """Review the head of a pull request, as on its page."""
        # Imported here, for those modules build on this one.
        from tests.github.hub.pulls import follow_branches, review_pull

        with self.hub.lock:
            follow_branches(self.hub)
            words = body or ("" if event == "APPROVE" else "See above.")
            by = self.hub.user(login)
            return review_pull(self.pulls[number], by, event, words)

    def merge(self, number: int, login: str, method: str = "merge") -> str:
        """Press the merge button; what the rules forbid is a RefusedError."""
        from tests.github.hub.landing import land
        from tests.github.hub.pulls import follow_branches

        with self.hub.lock:
            follow_branches(self.hub)
            by = self.hub.user(login)
            if not self.allows(by, "write"):
                raise RefusedError(403, f"{login} may not push to {self.full_name}")
            sha = land(self.pulls[number], by, method)
            follow_branches(self.hub, by)
            return sha


class State:
    """Everything on the hub. Whoever reads or writes it holds the lock."""

    def __init__(self, root: Path, url: str) -> None:
        self.root = root
        self.url = url
        self.lock = threading.RLock()
        self.users: dict[str, User] = {}
        self.repos: dict[str, Repo] = {}
        self._last_id = 1000
        self.hooks = root / "hooks"
        self.hooks.mkdir(parents=True)
        (self.hooks / "update").write_text(UPDATE_HOOK)
        (self.hooks / "update").chmod(0o755)
        self.web_flow = User("web-flow", 19864447, "", GITHUB.mail)

    @property
    def api(self) -> str:
        return f"{self.url}/api/v3"

    def next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def account(self, login: str) -> User:
        """The account of that name; an unknown one is a new organization."""
        if login.lower() not in self.users:
            self.users[login.lower()] = User(
                login, self.next_id(), "", kind="Organization"
            )
        return self.users[login.lower()]

    def user(self, login: str, mail: str = "") -> User:
        """The user of that name, who is made on the first call."""
        with self.lock:
            # Who owned a repository before they were named is a user from now on.
            known = self.account(login)
            known.kind = "User"
            known.token = f"ghp_{known.id:06d}{login.encode().hex():x<30.30}"
            known.mail = mail or known.mail
            return known

    def repo(
        self,
        full_name: str,
        *,
        admins: Iterable[str] = (),
        writers: Iterable[str] = (),
        triagers: Iterable[str] = (),
        readers: Iterable[str] = (),
        private: bool = False,
        files: Mapping[str, str] | None = None,
    ) -> Repo:
        """Make an empty repository, or one whose first commit holds `files`."""
        with self.lock:
            repo = Repo(self, full_name, private)
            given = {"admin": admins, "write": writers}
            given |= {"triage": triagers, "read": readers}
            for role, logins in given.items():
                repo.roles.update({self.user(login).login: role for login in logins})
            repo.bare.create(self.hooks)
            self.repos[full_name.lower()] = repo
            if files:
                self._first_commit(repo, files)
            return repo

    def _first_commit(self, repo: Repo, files: Mapping[str, str]) -> None:
        index = str(self.root / f"index-{repo.id}")
        for path, text in files.items():
            blob = repo.bare.bytes("hash-object", "-w", "--stdin", stdin=text.encode())
            entry = f"100644,{blob.decode().strip()},{path}"
            repo.bare.bytes(
                "update-index", "--add", "--cacheinfo", entry, GIT_INDEX_FILE=index
            )
        tree = repo.bare.bytes("write-tree", GIT_INDEX_FILE=index).decode().strip()
        sha = repo.bare.write_commit(tree, [], "Initial commit", GITHUB, GITHUB)
        repo.git("update-ref", "refs/heads/main", sha)

    def by_token(self, token: str) -> User | None:
        known = (user for user in self.users.values() if user.token)
        return next((user for user in known if user.token == token), None)

    def by_mail(self, mail: str) -> User | None:
        if mail == GITHUB.mail:
            return self.web_flow
        lower = mail.lower()
        known = (user for user in self.users.values() if lower in user.mails)
        return next(known, None)
