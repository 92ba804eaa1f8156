"""Update the console blocks of the pages: `python -m tests.docs [PAGE …]`."""

import sys

from tests.docs.update import update_pages

if __name__ == "__main__":  # not in the processes that run the scenes
    sys.exit(update_pages(sys.argv[1:]))
