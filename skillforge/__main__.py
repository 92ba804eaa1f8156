"""The start of every command, as `skillforge` and as `python -m skillforge`."""

import sys

from skillforge import hook_run


def main() -> None:
    """Run a command and exit with its code; `hook run` exits with 0, always."""
    if hook_run.is_asked_for(sys.argv[1:]):
        hook_run.main(sys.argv[1:])
    from skillforge.cli import main as run_command

    run_command()


if __name__ == "__main__":
    main()
