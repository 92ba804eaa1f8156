"""The command line: parse, call, print. Only this package prints and exits."""

import signal
import sys
from collections.abc import Sequence

import click

from skillforge import __version__
from skillforge.cli import output
from skillforge.cli.base import GlobalOptions, LazyGroup, common_options
from skillforge.errors import Exit, SkillforgeError

# Stage, command, module and what it is for; a module is imported when its command runs.
COMMANDS = {
    "Set up": {
        "init": ("setup", "Make a skill library here."),
        "demo": ("setup", "Show the whole loop on a temporary library."),
        "doctor": ("setup", "Check this machine and the repository."),
        "completion": ("setup", "Print what makes a shell complete our commands."),
    },
    "Learn": {
        "capture": ("learn", "Read transcripts: redact them, keep what is worth it."),
        "examples": ("learn", "Look at examples; approve or reject them."),
        "patterns": ("draft", "Tell what repeats in approved examples."),
        "draft": ("draft", "Write a skill from a pattern."),
        "export": ("draft", "Write approved examples down to train a model."),
    },
    "Check": {
        "validate": ("check", "Check skills against the specification."),
        "scan": ("scan", "Look for attacks, leaks and hidden text in skills."),
        "test": ("testing", "Run what skills ship to prove themselves, in a sandbox."),
        "check": ("scan", "Do all of these: validate, scan and test."),
        "rules": ("check", "Explain the rules."),
    },
    "Propose": {
        "new": ("new", "Create a skill from a template."),
        "propose": ("propose", "Put a draft on a branch and open a proposal."),
        "proposals": ("proposals", "List proposals."),
        "gate": ("gate", "Run the required checks on a proposal."),
        "review": ("review", "Show a proposal; approve or reject it."),
        "promote": ("promote", "Merge an approved proposal into main."),
        "refresh": ("refresh", "Rebase a proposal onto today's main."),
        "close": ("close", "Close a proposal without merging it."),
    },
    "History": {
        "log": ("log", "List the versions of a skill."),
        "why": ("why", "Explain why a skill is what it is."),
        "audit": ("audit", "Prove that nothing reached main unreviewed."),
        "rollback": ("rollback", "Roll a skill back to an earlier version."),
    },
    "Operate": {
        "use": ("use", "Print the folder of a skill in the version that a key gets."),
        "sync": ("use", "Lay out all skills of main in an agent's folder."),
        "record": ("record", "Report a use of a skill and its outcome."),
        "sync-uses": ("record", "Exchange uses and rollouts with other machines."),
        "stats": ("stats", "Tell how skills fare, and how sure that is."),
        "canary": ("canary", "Try a new version beside the old one."),
        "refine": ("refine", "Turn what uses reported into small edits."),
        "health": ("tend", "Try the cases of all skills again."),
        "curate": ("tend", "Find what is stale, double or broken; dry by default."),
        "pin": ("tend", "Keep the curator away from a skill."),
        "unpin": ("tend", "Let the curator look after a skill again."),
    },
    "Share": {
        "list": ("share", "List the skills of main."),
        "show": ("share", "Show a skill, or one of its files."),
        "search": ("share", "Find skills by what they are for."),
        "catalog": ("share", "Print all skills within a budget of tokens."),
        "install": ("install", "Install skills: checked, scanned and locked."),
        "verify": ("install", "Tell what differs from the lock on disk."),
        "update": ("install", "Show what is new in installed skills, and take it."),
        "release": ("release", "Tag main as a release; or say which version is next."),
        "build": ("release", "Make the Skills Hub of a release."),
        "publish": ("publish", "Publish a release: to a folder, a branch, GitHub."),
    },
    "Serve": {
        "mcp": ("serve", "Let agents read skills and propose changes, over MCP."),
        "hook": ("hook", "Have an agent's sessions captured when they end."),
        "import-pending": ("serve", "Turn what Hermes holds back into proposals."),
        "brief": ("serve", "Tell an agent what to learn from a session, and how."),
    },
    "GitHub": {
        "protect": ("github", "Set a repository up so that only judged skills merge."),
        "report": ("github", "Show a gate's report on its pull request."),
        "promoted": ("github", "Note who approved merges made in GitHub's pages."),
    },
}


@click.group(
    cls=LazyGroup,
    stages=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(
    __version__, prog_name="skillforge", message="%(prog)s %(version)s"
)
@common_options
@click.pass_context
def cli(context: click.Context) -> None:
    """Keep the skills of self-improving agents in git, behind review.

    \b
    A library is a git repository of skills/<name>/SKILL.md folders. Start with
        skillforge init          make a library in this repository
        skillforge new NAME      add a skill
        skillforge validate      check all skills
        skillforge propose NAME  put a change up for review

    Exit codes: 0 yes or done, 1 no (findings), 2 the request or the library cannot be
    understood, 3 a tool that we drive is missing or failed, 4 not now, 70 a bug.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code; never with a traceback."""
    output.tolerate_encodings()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _frame: sys.exit(128 + number))
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))


def run(arguments: list[str]) -> int:
    """Run a command, print its answer or its error, and return the exit code."""
    settings = GlobalOptions()
    try:
        return call(settings, arguments)
    except (Exception, KeyboardInterrupt) as err:  # noqa: BLE001 - the last stop
        return show_failure(settings, arguments, err)


def call(settings: GlobalOptions, arguments: list[str]) -> int:
    """Run a command, print its answer and return the exit code; errors are raised."""
    answer = cli.main(
        arguments, prog_name="skillforge", standalone_mode=False, obj=settings
    )
    return output.show(settings, answer)


def show_failure(
    settings: GlobalOptions, arguments: list[str], err: BaseException
) -> int:
    """Print the error that ended a command, and return the exit code."""
    match err:
        case BrokenPipeError():
            return Exit.NO  # the reader has seen enough
        case click.Abort() | KeyboardInterrupt():
            return output.fail(settings, arguments, "interrupted", "", 130)
        case click.ClickException():
            hint = output.usage_hint(err)
            words = output.usage_words(err)
            return output.fail(settings, arguments, words, hint, err.exit_code)
        case SkillforgeError():
            return output.fail(
                settings, arguments, err.message, err.hint, err.exit_code, err.facts
            )
        case _:
            return output.surprise(settings, arguments, err)
