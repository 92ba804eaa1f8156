"""The commands of the History stage."""

import click

from skillforge.cli import completions
from skillforge.cli.base import (
    CommandResult,
    GlobalOptions,
    common_options,
    forge_options,
)
from skillforge.cli.propose import as_option, origin_option
from skillforge.cli.review import promoted
from skillforge.model import Origin


@click.command()
@click.argument("name", shell_complete=completions.skills)
@common_options
@click.pass_obj
def log(settings: GlobalOptions, name: str) -> CommandResult:
    """List the versions of a skill on main, the newest first.

    Each with its readable version, tree, date, proposal, author, approvers, and the
    commit that took it back, if one did. A skill that is gone has a history, too.
    """
    from skillforge.propose import skill_history, words
    from skillforge.propose.workspace import Workspace

    versions = skill_history.log(Workspace.at(settings.start).settled(), name)
    data = {"skill": name, "versions": [version.data for version in versions]}
    return CommandResult(data, words.log_text(versions))


@click.command()
@click.argument("name", shell_complete=completions.skills)
@common_options
@click.pass_obj
def why(settings: GlobalOptions, name: str) -> CommandResult:
    """Tell why a skill is what it is, from its examples to its releases and reverts.

    Follows a skill through renames and consolidations, and after it is gone.
    """
    from skillforge.propose import skill_history, words
    from skillforge.propose.workspace import Workspace

    found = skill_history.why(Workspace.at(settings.start).settled(), name)
    return CommandResult(words.story_data(found), words.story_text(found))


@click.command()
@click.argument("span", required=False, metavar="[RANGE]", default="")
@click.option("--since", default="", metavar="DATE", help="Only commits after a date.")
@click.option("--remote", is_flag=True, help="Ask GitHub whether it agrees, too.")
@forge_options
@click.pass_obj
def audit(
    settings: GlobalOptions, span: str, since: str, remote: bool
) -> CommandResult:
    """Prove from git alone that every change of a skill on main was judged.

    With --remote GitHub has to confirm the approvals, and to be set up as `skillforge
    protect` leaves it.

    \b
    skillforge audit                    all of main
    skillforge audit v1.0.0..main       since a release
    skillforge audit --remote           and ask GitHub

    Exits 1 if there is an exception: a direct push, a missing approval, a tree that is
    not the approved one, evidence that is not there.
    """
    from skillforge.propose import audit as audits
    from skillforge.propose import remote_audit, words
    from skillforge.propose.workspace import Workspace

    desk = Workspace.at(settings.start, None, settings.choice)
    if remote:
        desk.forge.look()
    library = desk.settled()
    forge = desk.forge if desk.forge.is_here else None
    done = audits.audit(library, forge, span, since)
    if remote:
        done = remote_audit.confirmed(library, desk.forge, done, span)
    data = words.audit_data(done)
    text = words.audit_text(done, desk.forge.is_here)
    return CommandResult(data, text, ok=not done.exceptions)


@click.command()
@click.argument("name", shell_complete=completions.skills)
@click.option("--to", default="", metavar="VERSION", help="Version, tree, or commit.")
@click.option("--why", default="", help="The reason, for the reviewer and history.")
@click.option(
    "--now", is_flag=True, help="Promote it at once, where the policy allows."
)
@click.option("--supersede", is_flag=True, help="Close another proposal for the skill.")
@origin_option
@as_option
@forge_options
@click.pass_obj
def rollback(  # noqa: PLR0913, PLR0917 - one for each option
    settings: GlobalOptions,
    name: str,
    to: str,
    why: str,
    now: bool,
    supersede: bool,
    origin: str | None,
    speaks_for: str | None,
) -> CommandResult:
    """Propose an earlier version of a skill again, byte for byte.

    Without --to it is the version before the current one. A consolidation goes back as
    a whole: the skills that it absorbed return.

    \b
    skillforge rollback csv-tables --why "Wrong on merged cells" --now
    skillforge rollback csv-tables --to 1.2.0 --why "..."
    """
    from skillforge.propose import rollback, words
    from skillforge.propose.workspace import Workspace
    from skillforge.workflows import promote

    if not why.strip():
        raise click.UsageError("say why: --why TEXT")
    desk = Workspace.at_work(settings.start, speaks_for, settings.choice)
    wish = rollback.RollbackRequest(name, to, why, Origin(origin or Origin.HUMAN), now)
    done = promote.roll_back(desk, wish, supersede=supersede)
    if done.promotion:
        return promoted(desk.library.main, done.promotion, done.created)
    data = words.opened_data(done.proposal, done.created) | {
        "merge": None,
        "version": done.version or None,
    }
    return CommandResult(data, words.opened_text(done.proposal, done.created))
