"""Patterns as text for a terminal."""

from typing import TYPE_CHECKING

from skillforge.render.data import patterns as data
from skillforge.render.text.examples import ID, short
from skillforge.report import plural, printable

if TYPE_CHECKING:
    from skillforge.workflows.patterns import PatternDetail, PatternList

_NEAR = 0.75  # similarity from which editing the skill is suggested


def pattern_list(result: "PatternList") -> str:
    listing = data.pattern_list(result)
    rows = listing["patterns"]
    lines = [
        f"{row['id']}  {len(row['examples']):3} examples, "
        f"{plural(row['sessions'], 'session')}, {_successes(row['successes'])}  "
        f"{short(row['label'], 40)}"
        for row in rows
    ]
    unclustered = plural(len(listing["unclustered"]), "example")
    count = plural(len(rows), "pattern") if rows else "no patterns yet"
    lines.append(f"{count}; {unclustered} not in a pattern")
    if rows:
        lines.append(f"next: skillforge patterns show {rows[0]['id']}")
    return "\n".join(map(printable, lines))


def _successes(count: int) -> str:
    return f"{count:,} success{'' if count == 1 else 'es'}"


def detail(result: "PatternDetail") -> str:
    row = data.detail(result)
    near, similarity = row["nearest_skill"], row["similarity"]
    tools = ", ".join(f"{tool} ({count})" for tool, count in row["tools"].items())
    lines = [
        f"pattern   {row['id']}  {row['label']}",
        f"examples  {len(row['examples'])}, from {plural(row['sessions'], 'session')}; "
        f"verified: {_successes(row['successes'])}, "
        f"{plural(row['failures'], 'failure')}",
        f"shared    {' '.join(row['shared'])}",
        f"tools     {tools or '-'}",
        f"nearest   {f'{near} ({similarity:.0%})' if near else 'none'}",
        "varies",
        *(
            f"  {field['name']} ({field['type']}): "
            f"{short(', '.join(field['examples']), 70)}"
            for field in row["varies"]
        ),
        "members",
        *(
            f"  {member['id'][:ID]}  {member['outcome']:8} {short(member['task'], 64)}"
            for member in row["members"]
        ),
        f"next: skillforge draft {row['id']}"
        + (f" --into {near}" if near and similarity >= _NEAR else ""),
    ]
    return "\n".join(map(printable, lines))
