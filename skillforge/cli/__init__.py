"""The command line: parse, call a workflow, print. Only this package prints."""

import os
import signal
import sys
from collections.abc import Sequence

import click

from skillforge import __version__
from skillforge.cli import output
from skillforge.cli.base import GlobalOptions, LazyGroup, common_options
from skillforge.errors import Exit, SkillforgeError

# The commands of each stage. A command is in the module of its name, which is imported
# when the command runs.
COMMANDS = {
    "Set up": {
        "init": "Create a skill library.",
        "demo": "Show the whole loop on a temporary library.",
        "doctor": "Check this machine's setup and the repository.",
        "completion": "Print the completion script for a shell.",
    },
    "Learn": {
        "capture": "Learn examples from transcripts, redacted.",
        "examples": "List, show, approve and reject examples.",
        "patterns": "Show what repeats in approved examples.",
        "draft": "Write a skill from a pattern.",
        "export": "Export approved examples as training data.",
    },
    "Check": {
        "validate": "Check skills against the specification.",
        "scan": "Find attacks, leaks and hidden text in skills.",
        "test": "Run the skills' own tests in a sandbox.",
        "check": "Run validate, scan and test.",
        "baseline": "Record the findings that a library already has.",
        "waive": "Propose to accept a finding of the scan.",
        "rules": "Explain the rules.",
    },
    "Propose": {
        "new": "Create a skill from a template.",
        "propose": "Commit a draft on a branch and open a proposal.",
        "proposals": "List proposals.",
        "gate": "Run the required checks on a proposal.",
        "review": "Show a proposal; approve or reject it.",
        "promote": "Merge an approved proposal into main.",
        "refresh": "Rebase a proposal onto the current main.",
        "close": "Close a proposal without merging it.",
    },
    "History": {
        "log": "List the versions of a skill.",
        "why": "Explain the history of a skill.",
        "audit": "Verify that every change on main was reviewed.",
        "rollback": "Roll a skill back to an earlier version.",
    },
    "Operate": {
        "use": "Print the folder of the skill version that a key gets.",
        "sync": "Copy all skills of main into an agent's folder.",
        "record": "Report a use of a skill and its outcome.",
        "sync-uses": "Exchange uses and rollouts with other machines.",
        "stats": "Show success rates of skills, with intervals.",
        "canary": "Compare a new version with the old one.",
        "refine": "Propose edits from reported uses.",
        "health": "Run all skills' tests again.",
        "curate": "Find stale, duplicate and broken skills.",
        "pin": "Protect a skill from the curator.",
        "unpin": "Let the curator change a skill again.",
    },
    "Share": {
        "list": "List the skills of main.",
        "show": "Show a skill, or one of its files.",
        "search": "Find skills for a task.",
        "catalog": "Print all skills within a token budget.",
        "install": "Install skills: checked, scanned and locked.",
        "verify": "Compare installed files with the lock.",
        "update": "Show and apply updates of installed skills.",
        "release": "Tag main as a release, or suggest the next version.",
        "build": "Build the Skills Hub of a release.",
        "publish": "Publish a release to a folder, a branch or GitHub.",
    },
    "Serve": {
        "mcp": "Let agents read skills and propose changes, over MCP.",
        "hook": "Capture an agent's sessions when they end.",
        "import-pending": "Propose changes pending in Hermes.",
        "brief": "Brief an agent on what to learn from a session.",
    },
    "GitHub": {
        "protect": "Set up a repository so that only approved skills merge.",
        "report": "Post a gate's report on its pull request.",
        "promoted": "Record the approvals of merges made on GitHub.",
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
        skillforge init          create a library in this repository
        skillforge new NAME      add a skill
        skillforge validate      check all skills
        skillforge propose NAME  put a change up for review

    Exit codes: 0 success, 1 failure or findings, 2 invalid request or library, 3 a
    required tool is missing or failed, 4 conflict with the library's state, 70 a bug,
    130 interrupted.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code; never with a traceback."""
    output.tolerate_encodings()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _frame: sys.exit(128 + number))
    words = list(sys.argv[1:] if arguments is None else arguments)
    sys.exit(_interruptible(words))


def _interruptible(arguments: list[str]) -> int:
    """Run a command that Ctrl-C stops with a message; later ones end the process."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_DFL:
        return run(arguments)  # ignored, as in the background
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return run(arguments)
    except KeyboardInterrupt:  # while it was shown that there was one
        return 130
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(arguments: list[str]) -> int:
    """Run a command, print its result or its error, and return the exit code."""
    settings = GlobalOptions()
    try:
        return call(settings, arguments)
    except (Exception, KeyboardInterrupt) as err:  # noqa: BLE001 - the last resort
        return show_failure(settings, arguments, err)


def call(settings: GlobalOptions, arguments: list[str]) -> int:
    """Run a command, print its result and return the exit code; errors are raised."""
    result = cli.main(
        arguments, prog_name="skillforge", standalone_mode=False, obj=settings
    )
    return output.show(settings, result)


def show_failure(
    settings: GlobalOptions, arguments: list[str], err: BaseException
) -> int:
    """Print the error that ended a command, and return the exit code."""
    match err:
        case BrokenPipeError():
            return Exit.NO  # the reader has closed the pipe
        case click.Abort() | KeyboardInterrupt():
            return output.fail(settings, arguments, "interrupted", "", 130)
        case click.ClickException():
            return output.fail_usage(settings, arguments, err)
        case SkillforgeError():
            return output.fail(
                settings, arguments, err.message, err.hint, err.exit_code, err.facts
            )
        case FileNotFoundError() if not _has_current_folder():
            message = "the current folder no longer exists"
            hint = "change to another folder, then run the command again"
            return output.fail(settings, arguments, message, hint, Exit.NOT_UNDERSTOOD)
        case _:
            return output.fail_unexpectedly(settings, arguments, err)


def _has_current_folder() -> bool:
    try:
        return bool(os.getcwd())  # noqa: PTH109 - pathlib is slow to import
    except FileNotFoundError:
        return False
