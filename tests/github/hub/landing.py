"""The merge button: three ways to land a pull request, with GitHub's messages."""

from tests.github.hub.bare import Commit, ConflictedMergeError
from tests.github.hub.rules import violations
from tests.github.hub.state import GITHUB, Pull, RefusedError, User

METHODS = {
    "merge": ("allow_merge_commit", "Merge commits"),
    "squash": ("allow_squash_merge", "Squash merges"),
    "rebase": ("allow_rebase_merge", "Rebase merges"),
}
NOT_MERGEABLE = "Pull Request is not mergeable"


def land(
    pull: Pull,
    by: User,
    method: str,
    title: str | None = None,
    message: str | None = None,
    sha: str | None = None,
) -> str:
    """Merge, and return the commit that the base branch is then at."""
    _refuse_unless_ready(pull, by, method, sha)
    commits = _LANDINGS[method](pull, by, title, message)
    ref = f"refs/heads/{pull.base}"
    pull.repo.git("update-ref", ref, commits[-1], pull.base_sha)
    pull.landed_as(commits, by)
    if pull.repo.settings["delete_branch_on_merge"] and pull.head is pull.repo:
        _delete_branch(pull)
    return commits[-1]


def _refuse_unless_ready(pull: Pull, by: User, method: str, sha: str | None) -> None:
    setting, words = METHODS[method]
    if not pull.open:
        raise RefusedError(405, NOT_MERGEABLE)
    if sha and sha != pull.head_sha:
        raise RefusedError(
            409, "Head branch was modified. Review and try the merge again."
        )
    if pull.draft:
        raise RefusedError(405, "Pull Request is still a draft")
    if not pull.repo.settings[setting]:
        raise RefusedError(405, f"{words} are not allowed on this repository.")
    if pull.repo.bare.merged_tree(pull.base_sha, pull.head_sha) is None:
        raise RefusedError(405, NOT_MERGEABLE)
    if found := violations(pull, by, method):
        text = "".join(f"{line}\n\n" for line in found)
        raise RefusedError(405, f"Repository rule violations found\n\n{text}")


def _delete_branch(pull: Pull) -> None:
    for other in pull.repo.open_pulls:
        if other.base == pull.branch:
            other.base, other.base_sha = pull.base, pull.landed[-1]
    pull.repo.git("update-ref", "-d", f"refs/heads/{pull.branch}", pull.head_sha)


def _merge(pull: Pull, by: User, title: str | None, message: str | None) -> list[str]:
    settings = pull.repo.settings
    if title is None:
        source = f"{pull.head.owner.login}/{pull.branch}"
        title = f"Merge pull request #{pull.number} from {source}"
        if settings["merge_commit_title"] == "PR_TITLE":
            title = f"{pull.title} (#{pull.number})"
    if message is None:
        texts = {"PR_TITLE": pull.title, "PR_BODY": pull.body or "", "BLANK": ""}
        message = texts[settings["merge_commit_message"]]
    return _one_commit(pull, by, [pull.base_sha, pull.head_sha], title, message)


def _squash(pull: Pull, _by: User, title: str | None, message: str | None) -> list[str]:
    commits = pull.repo.bare.log(pull.base_sha, pull.head_sha)
    if title is None:
        alone = len(commits) == 1
        by_commit = pull.repo.settings["squash_merge_commit_title"] != "PR_TITLE"
        words = commits[0].subject if alone and by_commit else pull.title
        title = f"{words} (#{pull.number})"
    if message is None:
        message = _squash_message(pull, commits)
    # The one who opened it gets the credit, not the one who pressed the button.
    return _one_commit(pull, pull.author, [pull.base_sha], title, message)


def _squash_message(pull: Pull, commits: list[Commit]) -> str:
    how = pull.repo.settings["squash_merge_commit_message"]
    if how != "COMMIT_MESSAGES":
        body = (pull.body or "") if how == "PR_BODY" else ""
        parts = [body, *_co_authors(pull, commits)]
        return "\n\n".join(part for part in parts if part)
    if len(commits) == 1:
        parts = [commits[0].rest, *_co_authors(pull, commits)]
        return "\n\n".join(part for part in parts if part)
    listed = [f"* {commit.message}" for commit in commits]
    trailers = _co_authors(pull, commits)
    return "\n\n".join([*listed, *(["---------"] if trailers else []), *trailers])


def _co_authors(pull: Pull, commits: list[Commit]) -> list[str]:
    """At most one paragraph, for those who wrote it but did not open it."""
    others = {
        f"Co-authored-by: {commit.author.name} <{commit.author.mail}>": None
        for commit in commits
        if commit.author.mail.lower() not in pull.author.mails
    }
    return ["\n".join(others)] if others else []


def _one_commit(
    pull: Pull, author: User, parents: list[str], title: str, message: str
) -> list[str]:
    bare = pull.repo.bare
    tree = bare.merged_tree(pull.base_sha, pull.head_sha)
    assert tree is not None
    text = f"{title}\n\n{message}".strip() + "\n"
    return [bare.write_commit(tree, parents, text, author.signature, GITHUB)]


def _rebase(
    pull: Pull, by: User, _title: str | None, _message: str | None
) -> list[str]:
    bare, tip, commits = pull.repo.bare, pull.base_sha, []
    try:
        for commit in bare.log(pull.base_sha, pull.head_sha):
            if len(commit.parents) > 1:
                raise ConflictedMergeError
            tip = bare.replay(commit, tip, by.signature)
            commits.append(tip)
    except ConflictedMergeError as err:
        raise RefusedError(405, "This branch can't be rebased") from err
    return commits


_LANDINGS = {"merge": _merge, "squash": _squash, "rebase": _rebase}
