"""Generated skills shaped like real ones: sizes, fields, scripts, and what is wrong.

The shares follow a count of 96,903 published SKILL.md files: median 6 KB, some 100 KB,
nearly all with characters beyond ASCII, a few that do not parse.
"""

import random
from itertools import pairwise
from pathlib import Path

_VOCABULARY = (
    "the a of to and in is for with on that this when use file run data user code "
    "test output input check value line error list name path should must not from "
    "each new command result table config version skill agent step model format parse "
    "write read create update delete validate review report column header field query "
    "branch commit merge request server client token cache index search build deploy "
    "before after between against example default option argument return function"
)
_WORDS = _VOCABULARY.split(" ")
_FOREIGN = (
    "數據處理工具",
    "обработка данных",
    "données traitées",
    "データ処理",
    "größere Änderung",
)
_MARKS = ("—", "→", "“quoted”", "✅", "⚠️", "…", "•", "├──", "🚀")
_EXTRA = (
    "license: MIT\n",
    'metadata:\n  author: someone\n  version: "1.0"\n',
    "allowed-tools: Read Grep Bash(git:*)\n",
    "compatibility: Needs Python 3.11 and git\n",
    "version: 1.2.0\n",
)


def generate(root: Path, count: int, seed: int = 7) -> None:
    """Write `count` skills below `root/skills`."""
    rng = random.Random(seed)
    paragraphs = [_paragraph(rng) for _ in range(400)]
    for number in range(count):
        folder = root / "skills" / f"skill-{number:06d}"
        folder.mkdir(parents=True)
        body = _body(rng, paragraphs)
        head = _header(rng, folder.name)
        (folder / "SKILL.md").write_text(f"---\n{head}---\n{body}", encoding="utf-8")
        if rng.random() < 0.35:
            _add(folder / "scripts" / "run.py", "print('done')\n")
            _add(folder / "references" / "guide.md", paragraphs[number % 400])


def _add(path: Path, text: str) -> None:
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")


def _header(rng: random.Random, name: str) -> str:
    what = " ".join(rng.choices(_WORDS, k=rng.randint(24, 72)))
    if rng.random() < 0.3:
        what += f" {rng.choice(_MARKS)} {rng.choice(_FOREIGN)}"
    description = f"Helps to {what}. Use when the user asks for {rng.choice(_WORDS)}."
    style = rng.random()
    if style < 0.12:
        description = f">\n  {description}"
    elif style < 0.35:
        description = f'"{description}"'
    elif style < 0.38:
        description = f"Use this: {description}"  # does not parse
    extra = rng.sample(_EXTRA, rng.randint(0, 2))
    return f"name: {name}\ndescription: {description}\n{''.join(extra)}"


def _paragraph(rng: random.Random) -> str:
    kind = rng.random()
    words = rng.choices(_WORDS, k=rng.randint(15, 70))
    if rng.random() < 0.4:
        words.insert(rng.randrange(len(words)), rng.choice(_MARKS))
    if rng.random() < 0.05:
        words.append(rng.choice(_FOREIGN))
    if kind < 0.2:
        return f"## {' '.join(words[:4]).title()}\n\n{' '.join(words)}.\n"
    if kind < 0.35:
        lines = "\n".join(f"    {a} = {b}({a!r})" for a, b in pairwise(words))
        return f"```python\n{lines}\n```\n"
    if kind < 0.5:
        return "\n".join(f"- **{a}**: {b} `{a}_{b}`" for a, b in pairwise(words)) + "\n"
    if kind < 0.55:
        return f"See [the docs](https://example.invalid/{words[0]}) for {words[1]}.\n"
    return " ".join(words).capitalize() + ".\n"


def _body(rng: random.Random, paragraphs: list[str]) -> str:
    target = min(rng.lognormvariate(8.7, 0.75), 120_000)
    if rng.random() < 0.003:
        target = 100_000
    parts = ["# Title\n"]
    size = 0
    while size < target:
        parts.append(rng.choice(paragraphs))
        size += len(parts[-1])
    return "\n".join(parts)
