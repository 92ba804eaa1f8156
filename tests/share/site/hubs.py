"""Hubs to make pages of: one that people would publish, a large one, a hostile one."""

from dataclasses import replace
from difflib import unified_diff
from typing import Any

from skillforge.document import parse
from skillforge.model import DraftFile
from skillforge.share.hub import Figures, Hub, PublishedSkill, PublishedVersion

URL = "https://skills.example.org/"
DESCRIPTION = "Reads tables from files. Use when data comes as a table."

CSV_OLD = """\
# CSV profile

Say what is in a table before anyone computes with it.

## Steps

1. Run `scripts/profile.py FILE` and read what it prints.
2. Report columns, types and empty cells.
3. Stop if the file has no header.
"""

CSV_NEW = """\
# CSV profile

Say what is in a table before anyone computes with it. What a delimiter is
differs from file to file: see [the notes](references/dialects.md#semicolons), and
the [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180) for what was meant.

## When to use

- A file ends in `.csv` or `.tsv`, and nobody said what is in it.
- A later step failed on a number that is not one.

## Steps

1. Run `scripts/profile.py FILE` and read what it prints.
2. Report columns, types, empty cells and the three most common values.
3. If the file has no header, say so and name the columns `c1`, `c2`, …

```sh
python scripts/profile.py orders.csv --sample 1000
```

| Column | Type | Empty |
| --- | --- | ---: |
| order | whole number | 0 |
| placed | date | 0 |
| discount | number | 311 |

> A column that is all numbers but for five cells is a column of numbers with
> five mistakes. Say which.

## Verify

Compare the number of rows with `wc -l`; go back to [the steps](#steps) if they differ.
"""

PROFILE = """\
#!/usr/bin/env python3
\"\"\"Print what is in a table.\"\"\"

import csv
import sys


def main(path: str) -> int:
    with open(path, newline="") as file:
        for row in csv.reader(file):
            print(row)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
"""


def skill(name: str, description: str = DESCRIPTION, **known: Any) -> PublishedSkill:
    """A published skill; `body` and `files` are its text and what lies beside it."""
    body = known.pop("body", f"# {name}\n\nDo this, then that.\n")
    text = f"---\nname: {name}\ndescription: {description}\n---\n{body}"
    data = text.encode("utf-8", "replace")
    files = {"SKILL.md": DraftFile(data), **known.pop("files", {})}
    values = {"version": "1.0.0", "tree": f"{len(name):040x}", **known}
    return PublishedSkill(
        name=name, description=description, files=files, document=parse(data), **values
    )


def version(number: str, **known: Any) -> PublishedVersion:
    values = {
        "tree": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "commit": "9fceb02d0ae598e95dc970b74767f19372d61af8",
        "date": "2026-09-14T08:30:00Z",
        "action": "edit",
        "origin": "human",
        "author": "Ada",
        **known,
    }
    return PublishedVersion(version=number, **values)


def diff(old: str, new: str) -> str:
    """As git would show it."""
    lines = unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), "a", "b"
    )
    return "diff --git a/SKILL.md b/SKILL.md\n" + "".join(lines)


def hub(*skills: PublishedSkill, **known: Any) -> Hub:
    values = {
        "title": "Workshop skills",
        "tag": "v1.4.0",
        "commit": "9fceb02d0ae598e95dc970b74767f19372d61af8",
        "date": "2026-10-03T09:12:44Z",
        "url": URL,
        "repository": "workshop/skills",
        **known,
    }
    return Hub(skills=tuple(sorted(skills, key=lambda listed: listed.name)), **values)


def csv_profile() -> PublishedSkill:
    """A skill with all that a page can show."""
    return skill(
        "csv-profile",
        "Says what is in a CSV or TSV file: columns, types, empty cells, common "
        "values. Use before computing with a table that nobody described.",
        body=CSV_NEW,
        version="1.2.0",
        tree="7d1f2ab6c0e94f0d8a1b5b7c3e2f60d1a9c4b8e7",
        group="Data",
        license="MIT",
        scan="safe",
        tests="passed",
        examples=7,
        approvers=("Rita Reviewer", "Jon Okafor"),
        figures=Figures(412, 0.94, (0.91, 0.96), "passed"),
        files={
            "scripts/profile.py": DraftFile(PROFILE.encode(), is_executable=True),
            "references/dialects.md": DraftFile(b"# Dialects\n\n## Semicolons\n"),
            "assets/sample.png": DraftFile(b"\x89PNG\r\n\x1a\n" + bytes(2400)),
        },
        versions=(
            version(
                "1.2.0",
                approvers=("Rita Reviewer", "Jon Okafor"),
                proposal=31,
                date="2026-09-28T14:02:00Z",
                author="Ada Mensah",
                why="Files without a header were refused in 3 of 11 runs.\n\n"
                "Naming the columns lets the next step go on.",
                diff=diff(CSV_OLD, CSV_NEW),
            ),
            version(
                "1.1.0",
                approvers=("Jon Okafor",),
                proposal=24,
                date="2026-09-02T10:00:00Z",
                author="Ada Mensah",
                why="Try to guess the encoding.",
                reverted_by="c0ffee1234567890",
            ),
            version(
                "1.0.0",
                action="create",
                origin="agent-background",
                author="workshop-agent",
                approvers=("Rita Reviewer",),
                proposal=12,
                date="2026-08-11T07:45:00Z",
                why="Seven runs looked into an unknown table by hand, each in its "
                "own way, and two of them took the first row of data for the header.",
                diff=diff("", CSV_OLD),
            ),
        ),
    )


WORKSHOP = (
    (
        "changelog-entry",
        "Writes an entry for a changelog from commits",
        "Writing",
        "2.0.1",
    ),
    ("commit-message", "Writes a commit message that says why", "Git", "1.3.0"),
    (
        "docker-logs",
        "Finds the first error in the logs of containers",
        "Operations",
        "0.9.2",
    ),
    (
        "find-regression",
        "Finds the commit that broke a test, by bisection",
        "Git",
        "1.0.4",
    ),
    (
        "invoice-pdf",
        "Takes sums and dates out of invoices in PDF",
        "Documents",
        "1.1.0",
    ),
    ("json-schema", "Writes a JSON Schema for a set of examples", "Data", "3.2.0"),
    (
        "meeting-notes",
        "Turns a transcript into decisions and tasks",
        "Writing",
        "1.0.0",
    ),
    ("postgres-explain", "Reads a query plan and says what to index", "Data", "1.4.1"),
    (
        "release-notes",
        "Says what is new in a release, for its users",
        "Writing",
        "1.0.0",
    ),
    (
        "terraform-plan",
        "Reads a plan and names what would be lost",
        "Operations",
        "2.1.0",
    ),
)


NOTES = """\
### Added

- **terraform-plan** 2.1.0
  - Plans were read too late (proposal 33, create by Jon Okafor, approved by Ada)

### Changed

- **csv-profile** 1.1.0 → 1.2.0
  - Names columns where there is no header (proposal 31, edit by Ada Mensah)
"""


def workshop() -> Hub:
    """What a team of people and agents could have."""
    others = [
        skill(
            name,
            f"{what}. Use when asked for it, or when a run shows the need.",
            group=group,
            version=number,
            scan="caution" if name == "docker-logs" else "safe",
            tests="not-run" if name == "invoice-pdf" else "passed",
            approvers=("Rita Reviewer",),
            figures=Figures(100, 0.8 + at / 60, None, "passed")
            if at % 2
            else Figures(),
            versions=(version(number, date=f"2026-09-{at + 10}T08:00:00Z"),),
        )
        for at, (name, what, group, number) in enumerate(WORKSHOP)
    ]
    return hub(csv_profile(), *others, notes=NOTES)


NOUNS = ("table", "invoice", "container", "query", "commit", "release", "plan", "log")
VERBS = ("read", "check", "merge", "profile", "convert", "explain", "repair", "send")


def large(count: int = 10_000) -> Hub:
    """Many skills, each with a word of its own; they share their instructions."""
    sample = skill("one", group="Group", scan="safe", tests="passed")
    return hub(*(_numbered(sample, at) for at in range(count)))


def _numbered(sample: PublishedSkill, at: int) -> PublishedSkill:
    verb, noun = VERBS[at % 8], NOUNS[at // 8 % 8]
    about = (
        f"Does {verb} a {noun} of kind {at}. Use when a {noun} came in that nobody "
        f"knows how to {verb}, or when the one before it was not of that kind either. "
        "That is so more often than one would think. "
        f"Triggers on case{at}, and on what is like it in reports of last week."
    )
    name, group = f"{verb}-{noun}-{at:05}", f"Group {at % 12}"
    return replace(sample, name=name, description=about, group=group)


ATTACK = "\"'><script>document.title='owned'</script><img src=x onerror=alert(1)>"
EVIL = "https://evil.example"
HOSTILE_BODY = f"""\
# main

<script>document.title = "owned"</script>
<img src="{EVIL}/a.png" onerror="document.title='owned'">
<iframe src="{EVIL}"></iframe><style>body {{ display: none }}</style>
<base href="{EVIL}/"><meta http-equiv="refresh" content="0;url={EVIL}">
<div id="main" class="skip" style="position:fixed;inset:0">Approved by the owner</div>

![pixel]({EVIL}/pixel.png) ![local](../../../../etc/passwd)
![x](data:image/png;base64,AA) [![inner]({EVIL}/b.png)]({EVIL}/outer)

[one](javascript:document.title='owned') [two](JaVaScRiPt:alert(1))
[three](data:text/html,x) [four](vbscript:x) [five](file:///etc/passwd)
[six](//evil.example/x) [seven](../../index.html) <javascript:alert(1)>
[eight](https://github.com@evil.example/) [nine](https:evil.example)
[ten](&#106;avascript:alert(1)) [eleven](\\\\evil.example) [twelve](/index.html)
[quoted](https://ok.example/"onmouseover="alert(1))
[site](https://ok.example/a "t\" onclick=x")

| a | b |
| :-: | --: |
| <b onclick=x>1</b> | `</td><script>alert(1)</script>` |

```html" onload="alert(1)
</code></pre><script>document.title = "owned"</script>
```

text \u202egpj.exe\u202c and \u200bhidden\U000e0041

## main
## find
"""


def hostile() -> Hub:
    """Everything that an author can write is an attack on the page."""
    evil = skill(
        "evil-skill",
        ATTACK + " \u202eevil",
        body=HOSTILE_BODY,
        version=ATTACK,
        group=ATTACK,
        license=ATTACK,
        scan=ATTACK,
        tests=ATTACK,
        approvers=(ATTACK,),
        figures=Figures(3, 7.5, (-1.0, 9.0), ATTACK),
        files={
            f"a{ATTACK}.html": DraftFile(f"{ATTACK}</pre>".encode(), True),
            "../../index.html": DraftFile(b"<script>alert(1)</script>"),
            "x\u202egnp.js": DraftFile(b"\xff\x00"),
        },
        versions=(
            version(
                ATTACK,
                tree=ATTACK,
                commit=ATTACK,
                date=ATTACK,
                action=ATTACK,
                origin=ATTACK,
                author=ATTACK + "\u202e",
                approvers=(ATTACK, "\u2066x"),
                why=f"{ATTACK}\n\n{ATTACK}",
                reverted_by=ATTACK,
                diff=f"@@ -1 +1 @@ {ATTACK}\n-{ATTACK}\n+\r{ATTACK}\u202e\n {ATTACK}",
            ),
        ),
    )
    lying = skill("../../../etc/cron.d/x", "Leaves its folder.", group="..")
    typed = skill("x; rm -rf ~ #\n--force", "Wants to be typed.", group="../..")
    plain = skill("plain-skill", "Does its work.", group="../../")
    return hub(
        evil, lying, typed, plain, title=ATTACK, notes=HOSTILE_BODY, tag="v1.0.0"
    )
