"""The command `publish`: a release to where people find it."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
    host_option,
)
from skillforge.cli.build import (
    archives_only,
    built,
    gathered_from,
    hub_options,
    stopped,
)
from skillforge.errors import RequestError

if TYPE_CHECKING:
    from skillforge.share.hub_contents import HubContents

GITHUB, CLAWHUB, BRANCH = "github", "clawhub", "branch:"


@click.command()
@click.argument("tag", required=False)
@click.option(
    "--to",
    "where",
    required=True,
    metavar="DIR|branch:NAME|github|clawhub",
    help="Where to. A folder called `github` is ./github.",
)
@click.option("--push", is_flag=True, help="Push the branch to the remote, too.")
@click.option("--yes", is_flag=True, help="To ClawHub: do it, and do not just try.")
@hub_options
@host_option
@common_options
@click.pass_obj
def publish(
    settings: GlobalOptions,
    /,
    tag: str | None,
    where: str,
    push: bool,
    yes: bool,
    **said: str,
) -> CommandResult:
    """Publish a release, the newest if none is named.

    \b
    skillforge publish --to /srv/www/skills          a folder that is served
    skillforge publish --to branch:gh-pages --push   GitHub Pages, or any other
    skillforge publish --to github v1.4.0            a Release, marked latest
    skillforge publish --to clawhub                  what ClawHub would do
    skillforge publish --to clawhub --yes            do it

    Publishing twice is harmless, and what was left half done is finished. Other content
    under the same version is never overwritten: that exits 4. Exits 1 if something in
    it must not be published.
    """
    from skillforge.share import hub_build

    _refuse_unknown(where)
    gathered = gathered_from(settings, tag, said)
    if gathered.blocking:
        return stopped(gathered)
    if where == CLAWHUB:
        return _to_clawhub(gathered, yes)
    with tempfile.TemporaryDirectory(prefix="skillforge-hub-") as folder:
        made = Path(folder) / "hub"
        hub_build.build(gathered.hub, made, gathered.cache)
        if where == GITHUB:
            return _to_github(settings, gathered, made)
        if where.startswith(BRANCH):
            name = where.removeprefix(BRANCH)
            return _to_branch(settings, gathered, made, name, push)
        return _to_folder(gathered, made, Path(where))


def _refuse_unknown(where: str) -> None:
    """A word with a colon is a kind of place, and not a folder by accident."""
    kind, colon, _ = where.partition(":")
    if colon and "/" not in kind and not where.startswith(BRANCH):
        raise RequestError(
            f"{kind}: is no place to publish to",
            hint=f"branch:NAME, github, clawhub or a folder (as in ./{where})",
        )


def _to_folder(gathered: "HubContents", made: Path, out: Path) -> CommandResult:
    from skillforge.share import atomic_folder

    created = atomic_folder.publish(gathered.hub, made, out)
    answer = built(gathered, out)
    words = answer.words if created else f"{answer.words}, as it was before"
    return answer._replace(data=answer.data | {"created": created}, words=words)


def _to_branch(
    settings: GlobalOptions, gathered: "HubContents", made: Path, name: str, push: bool
) -> CommandResult:
    from skillforge.gitrepo import remote
    from skillforge.propose.workspace import Workspace
    from skillforge.share import branch_target, hub_formats

    desk = Workspace.at_work(settings.start, None)
    repo = desk.library.repository()
    if name == desk.library.main:
        raise RequestError(
            f"{name} is where skills are, and no place for a hub",
            hint="--to branch:gh-pages",
        )
    there = remote.Remote(remote.origin(repo)[0]) if push else None
    if there is not None and not there.where:
        raise RequestError("there is no remote to push to", hint="git remote add")
    target = branch_target.BranchTarget(name, desk.by, there)
    done = branch_target.publish(repo, gathered.hub, made, target)
    lines = "".join(f"{line}\n" for line in archives_only(gathered.hub))
    words = f"{lines}{name} {'is' if done.created else 'was already'} the hub of "
    words += f"{gathered.hub.tag}: commit {done.commit[:12]}"
    if push:
        words += f", also on {there.where}" if there else ""
    else:
        words += f"\nnext: git push origin {name}; or --push does it"
    data = {
        "branch": name,
        "branch_commit": done.commit,
        "created": done.created,
        "pushed": push,
        "archives_only": hub_formats.archives_only(gathered.hub),
    }
    return _answer(gathered, data, words)


def _to_github(
    settings: GlobalOptions, gathered: "HubContents", made: Path
) -> CommandResult:
    from skillforge.cli.github_workspace import github_workspace
    from skillforge.gitrepo import tags
    from skillforge.report import plural
    from skillforge.share import github_release

    desk, forge = github_workspace(settings)
    tag = tags.find(desk.library.repository(), gathered.hub.tag)
    assert tag is not None
    files = github_release.assets(gathered.hub, made)
    done = github_release.publish(forge.hosted.wire, gathered.hub, tag, files)
    words = f"{gathered.hub.tag} {'is' if done.created else 'was already'} released: "
    words += f"{done.url}\n    {plural(len(done.sent), 'file')} sent, "
    words += f"{len(files) - len(done.sent)} there already"
    data = {"url": done.url, "created": done.created, "sent": list(done.sent)}
    return _answer(gathered, data, words)


def _to_clawhub(gathered: "HubContents", yes: bool) -> CommandResult:
    from skillforge.share import clawhub

    done = list(clawhub.publish(gathered.hub, really=yes))
    lines = [f"{it.skill} {it.version}: {it.status}" for it in done]
    if not yes:
        lines.append("nothing was published; --yes does it, as MIT-0 like all of it")
    data = {"skills": [it._asdict() for it in done], "dry_run": not yes}
    return _answer(gathered, data, "\n".join(lines))


def _answer(
    gathered: "HubContents", data: dict[str, object], words: str
) -> CommandResult:
    from skillforge.report import printable

    about = {"tag": gathered.hub.tag, "commit": gathered.hub.commit}
    lines = "\n".join(map(printable, words.split("\n")))
    return CommandResult({**data, **about, "left_out": dict(gathered.left_out)}, lines)
