"""Write the reference pages: `python -m tests.docs.reference`."""

import sys

from tests.docs.reference import pages

for file, text in pages().items():
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    sys.stdout.write(f"wrote {file}\n")
