"""The branch that promotion moves, decided once for each clone.

Someone who can push a branch must not be able to choose it. So the decision depends
on what no push can change: the clone's own configuration (`skillforge.branch`), the
default branch of the repository that was cloned, or the branch that its history began
on. A policy only decides about its own branch: `branch: trunk` counts on `trunk`, and
a policy without that key on `main`. If these disagree, the user must decide.
"""

import re
from contextlib import suppress

from skillforge.errors import ConfigError, RequestError
from skillforge.gitrepo import GitRepo, branches, refs
from skillforge.gitrepo.git_files import has_remote
from skillforge.model import SKILLS
from skillforge.policy import POLICY_FILE, read_policy

DEFAULT = "main"
_SHOWN = 5  # branches in a message
_MAY_NAME_BRANCH = re.compile(rb"(?:^|[\r\n])[^#\r\n]*branch")  # not in a comment


def find(repo: GitRepo) -> str:
    """The library's branch; the decision is written to the configuration."""
    name = branches.recorded(repo) or _decide(repo)
    here, there = repo.names_of([f"refs/heads/{name}", f"refs/remotes/origin/{name}"])
    if not here:
        _refuse_damaged(repo)
    if not here and not there:
        raise _missing(repo, name)
    _refuse_disagreement(repo, name, here or there)
    return name


def settle(repo: GitRepo) -> str:
    """The branch of a library that is being set up; by default, the one checked out.

    Empty if that is no branch, or the branch of a proposal.
    """
    if name := branches.recorded(repo):
        return name
    if repo.name_of("HEAD^{commit}"):
        with suppress(RequestError):
            return _decide(repo)
    name = branches.head(repo)
    if not name or name.startswith(branches.PROPOSALS):
        return ""
    branches.record(repo, name)
    return name


def _refuse_damaged(repo: GitRepo) -> None:
    """Refuse to decide while a branch is damaged, which is not the same as missing."""
    broken = refs.read(repo, "refs/heads/").broken
    for ref, why in broken.items():
        name = ref.removeprefix("refs/heads/")
        if not name.startswith(branches.PROPOSALS):
            raise ConfigError(
                f"the branch {name} is damaged: {why}",
                hint="skillforge doctor --fix repairs it from its reflog",
            )


def _decide(repo: GitRepo) -> str:
    _refuse_damaged(repo)
    tips = branches.tips(repo)
    default = branches.remote_head(repo)
    if default and default not in tips:
        raise RequestError(
            f"origin's default branch was {default}, which does not exist now",
            hint="was it renamed? git fetch, then git remote set-head origin --auto",
        )
    tips = _with_a_library(repo, tips)
    named = _named(repo, tips)
    if default and named.get(default) == default:
        return default  # git records it as refs/remotes/origin/HEAD
    name = _chosen(repo, named, default)
    if not name:
        raise _undecided(repo, named, default)
    branches.record(repo, name)
    return name


def _with_a_library(repo: GitRepo, tips: dict[str, str]) -> dict[str, str]:
    """The branches with a policy or skills; all branches if none has any."""
    paths = [f"{tip}:{path}" for tip in tips.values() for path in (POLICY_FILE, SKILLS)]
    answers = iter(repo.names_of(paths))
    pairs = zip(tips, zip(answers, answers, strict=True), strict=True)
    libraries = {name for name, hashes in pairs if any(hashes)}
    return {n: tip for n, tip in tips.items() if n in libraries or not libraries}


def _named(repo: GitRepo, tips: dict[str, str]) -> dict[str, str]:
    """The branch that the policy on each branch names."""
    policies = repo.find_all([f"{tip}:{POLICY_FILE}" for tip in tips.values()])
    return {
        name: _branch_in(policy.data if policy else b"") or DEFAULT
        for name, policy in zip(tips, policies, strict=True)
    }


def _branch_in(policy: bytes) -> str:
    """The branch that a policy names; empty if it names none, or cannot be read."""
    if not _MAY_NAME_BRANCH.search(policy):
        return ""  # the usual case, without a parser
    try:
        return read_policy(policy).branch
    except ConfigError:
        return ""


def _chosen(repo: GitRepo, named: dict[str, str], default: str) -> str:
    """The branch that all facts point to; empty if they disagree, or there are none."""
    claims = {name for name, claim in named.items() if name == claim}
    born = {name for name in named if branches.is_born_here(repo, name)}
    if len(claims) > 1:  # a claim can be pushed
        claims = claims & born or claims
    facts = claims | (_own(repo, default) & named.keys() or born)
    if not facts:
        facts = _last_resort(repo, named)
    return facts.pop() if len(facts) == 1 else ""


def _own(repo: GitRepo, default: str) -> set[str]:
    """The default branch that a repository itself names."""
    if default or branches.has_checkout(repo):
        return {default} - {""}
    return {branches.head(repo)}


def _last_resort(repo: GitRepo, named: dict[str, str]) -> set[str]:
    """The only branch of a repository without remotes, or git's default branch."""
    if len(named) == 1 and not has_remote(str(repo.common_dir)):
        return set(named)
    done = repo.run("config", "--get", "init.defaultBranch")
    return {done.out.decode("utf-8", "replace").strip()} & named.keys()


def _refuse_disagreement(repo: GitRepo, name: str, tip: str) -> None:
    """Refuse a branch whose own policy names another branch."""
    policy = repo.find(f"{tip}:{POLICY_FILE}")
    other = _branch_in(policy.data) if policy else ""
    if other and other != name:
        raise ConfigError(
            f"{POLICY_FILE} on {name} says that the library's branch is {other}",
            hint=f"if that is right: git config {branches.KEY} {other}; if the branch "
            f"was renamed: write `branch: {name}` there, and commit that to {name}",
        )


def _missing(repo: GitRepo, name: str) -> RequestError:
    if branches.head(repo) == name or not branches.tips(repo):
        return _no_commit()
    return RequestError(
        f"this library's branch is {name}, which does not exist",
        hint=f"was it renamed? git config {branches.KEY} NAME; or fetch it: "
        f"git fetch origin {name}:{name}",
    )


def _undecided(repo: GitRepo, named: dict[str, str], default: str) -> RequestError:
    if not named:
        is_unborn = not repo.name_of("HEAD^{commit}")
        return _no_commit() if is_unborn else _not_here(DEFAULT)
    claims = set(named.values())
    if not default and not claims & named.keys() and len(named) == len(claims) == 1:
        return _not_here(*claims)
    shown = sorted(named, key=lambda name: (name != named[name], name))[:_SHOWN]
    more = ", …" if len(named) > _SHOWN else ""
    return RequestError(
        f"cannot decide which branch is the library's: {', '.join(shown)}{more}",
        hint=f"for this clone: git config {branches.KEY} NAME; for all clones: "
        f"`branch: NAME` in {POLICY_FILE} on that branch",
    )


def _no_commit() -> RequestError:
    return RequestError(
        "no commits yet",
        hint="commit the library first: git add --all && git commit -m Start",
    )


def _not_here(name: str) -> RequestError:
    return RequestError(
        f"this clone has no branch {name}",
        hint=f"git fetch origin {name}:{name}; or, if another branch is the library's: "
        f"git config {branches.KEY} NAME",
    )
