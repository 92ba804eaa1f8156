"""Writes `packs/words.json`: the words that the patterns of our own signs need.

`make reference` runs it; a test reports when the file is out of date.
"""

import json

from skillforge.checks.scan.required_words import required_words
from skillforge.checks.scan.signs import WORDS_FILE, key_of, own_patterns


def written() -> str:
    """The text of the file for today's patterns."""
    sources = (source for patterns in own_patterns().values() for source in patterns)
    found = {key_of(source): required_words(source) for source in sources}
    lines = (
        f'"{key}": {json.dumps({"reach": reach, "words": words}, ensure_ascii=False)}'
        for key, (reach, words) in sorted(found.items())
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    WORDS_FILE.write_text(written(), encoding="utf-8")
