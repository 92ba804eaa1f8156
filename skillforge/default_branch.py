"""The branch that promotion moves: decided once for a clone, never guessed again.

Whoever can push a branch must not be able to choose it. So the decision is made from
what no push changes: the clone's own configuration (`skillforge.branch`), the default
branch of the repository that it was cloned from, or the branch that its history began
on. A policy is read from each branch, and can only speak for its own: `branch: trunk`
counts on `trunk` alone, and a policy that says nothing counts on `main`. Where these
disagree, the user is asked.
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
_MAY_NAME_ONE = re.compile(rb"(?:^|[\r\n])[^#\r\n]*branch")  # not in a comment


def find(repo: GitRepo) -> str:
    """The library's branch; what is decided here is written to the configuration."""
    name = branches.recorded(repo) or _decide(repo)
    here, there = repo.names_of([f"refs/heads/{name}", f"refs/remotes/origin/{name}"])
    if not here:
        _refuse_damaged(repo)
    if not here and not there:
        raise _missing(repo, name)
    _refuse_disagreement(repo, name, here or there)
    return name


def settle(repo: GitRepo) -> str:
    """The branch of a library that is being set up: if undecided, what is checked out.

    Empty where that is no branch, or a proposal's.
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
    """Stop at a branch that can't be read: it isn't one that there is not."""
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
            f"origin's default branch was {default}, and there is no such branch now",
            hint="was it renamed? git fetch, then git remote set-head origin --auto",
        )
    tips = _with_a_library(repo, tips)
    named = _named(repo, tips)
    if default and named.get(default) == default:
        return default  # git keeps it as refs/remotes/origin/HEAD
    name = _chosen(repo, named, default)
    if not name:
        raise _undecided(repo, named, default)
    branches.record(repo, name)
    return name


def _with_a_library(repo: GitRepo, tips: dict[str, str]) -> dict[str, str]:
    """The branches that hold a policy or skills; all, if none does."""
    paths = [f"{tip}:{path}" for tip in tips.values() for path in (POLICY_FILE, SKILLS)]
    answers = iter(repo.names_of(paths))
    pairs = zip(tips, zip(answers, answers, strict=True), strict=True)
    held = {name for name, found in pairs if any(found)}
    return {name: tip for name, tip in tips.items() if name in held or not held}


def _named(repo: GitRepo, tips: dict[str, str]) -> dict[str, str]:
    """The branch that the policy on each branch names."""
    policies = repo.find_all([f"{tip}:{POLICY_FILE}" for tip in tips.values()])
    return {
        name: _branch_in(found.data if found else b"") or DEFAULT
        for name, found in zip(tips, policies, strict=True)
    }


def _branch_in(policy: bytes) -> str:
    """The branch that a policy names; empty if it is silent, or cannot be read."""
    if not _MAY_NAME_ONE.search(policy):
        return ""  # the usual case, without a parser
    try:
        return read_policy(policy).branch
    except ConfigError:
        return ""


def _chosen(repo: GitRepo, named: dict[str, str], default: str) -> str:
    """The branch that everything points to; empty if nothing does, or not to one."""
    claims = {name for name, wanted in named.items() if name == wanted}
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
    """The only branch of a repository of its own, or the one called as all are."""
    if len(named) == 1 and not has_remote(str(repo.common_dir)):
        return set(named)
    done = repo.run("config", "--get", "init.defaultBranch")
    return {done.out.decode("utf-8", "replace").strip()} & named.keys()


def _refuse_disagreement(repo: GitRepo, name: str, tip: str) -> None:
    """Stop where the policy on the branch says that it is the wrong one."""
    found = repo.find(f"{tip}:{POLICY_FILE}")
    wanted = _branch_in(found.data) if found else ""
    if wanted and wanted != name:
        raise ConfigError(
            f"{POLICY_FILE} on {name} says that the library's branch is {wanted}",
            hint=f"if it is {wanted}: git config {branches.KEY} {wanted}; if it was "
            f"renamed: write `branch: {name}` there, and commit that to {name}",
        )


def _missing(repo: GitRepo, name: str) -> RequestError:
    if branches.head(repo) == name or not branches.tips(repo):
        return _no_commit()
    return RequestError(
        f"this library's branch is {name}, and there is no such branch",
        hint=f"was it renamed? git config {branches.KEY} NAME; or bring it here: "
        f"git fetch origin {name}:{name}",
    )


def _undecided(repo: GitRepo, named: dict[str, str], default: str) -> RequestError:
    if not named:
        is_unborn = not repo.name_of("HEAD^{commit}")
        return _no_commit() if is_unborn else _not_here(DEFAULT)
    wanted = set(named.values())
    if not default and not wanted & named.keys() and len(named) == len(wanted) == 1:
        return _not_here(*wanted)
    shown = sorted(named, key=lambda name: (name != named[name], name))[:_SHOWN]
    more = ", …" if len(named) > _SHOWN else ""
    return RequestError(
        f"it is undecided which branch is the library's: {', '.join(shown)}{more}",
        hint=f"git config {branches.KEY} NAME decides it in this clone; `branch: NAME` "
        f"in {POLICY_FILE} on that branch, if it is not {DEFAULT}, in every other",
    )


def _no_commit() -> RequestError:
    return RequestError(
        "there is no commit yet",
        hint="commit the library first: git add --all && git commit -m Start",
    )


def _not_here(name: str) -> RequestError:
    return RequestError(
        f"this clone has no branch {name}",
        hint=f"git fetch origin {name}:{name}; or, if another branch is the library's: "
        f"git config {branches.KEY} NAME",
    )
