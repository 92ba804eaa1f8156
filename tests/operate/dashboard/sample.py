"""Sample data of the dashboard, random by seed."""

from datetime import date, timedelta
from itertools import pairwise
from random import Random
from typing import Any

from skillforge.operate.intervals import wilson

TODAY = date(2025, 6, 20)
NAMES = [
    "csv-tables",
    "pdf-forms",
    "git-bisect",
    "release-notes",
    "sql-migrate",
    "log-triage",
    "image-resize",
    "api-paging",
    "date-ranges",
    "docker-slim",
    "unit-fixtures",
    "regex-explain",
    "changelog-merge",
    "xlsx-pivot",
    "mail-digest",
    "trace-spans",
]
ORIGINS = ("human", "agent-foreground", "agent-background", "import")

Data = dict[str, Any]


def rate_of(good: int, bad: int) -> float | None:
    return good / (good + bad) if good + bad else None


def interval_of(good: int, bad: int) -> list[float] | None:
    return list(wilson(good, good + bad)) if good + bad else None


def days_of(
    random: Random, start: int, end: int, rate: float, pace: float
) -> list[Any]:
    """Verified uses on the days from `start` to `end` days ago."""
    days = []
    for ago in range(start, end, -1):
        uses = sum(random.random() < pace / 8 for _ in range(8))
        good = sum(random.random() < rate for _ in range(uses))
        if uses:
            days.append([str(TODAY - timedelta(ago)), good, uses - good])
    return days


def version(name: str, days: list[Any], *, exists: bool = True) -> Data:
    good, bad = sum(day[1] for day in days), sum(day[2] for day in days)
    return {
        "version": name,
        "tree": "9f2c41d0" * 5,
        "exists": exists,
        "uses": good + bad + (good + bad) // 3,
        "verified": good + bad,
        "successes": good,
        "failures": bad,
        "success_rate": rate_of(good, bad),
        "interval": interval_of(good, bad),
        "first": days[0][0] if days else "",
        "last": days[-1][0] if days else "",
        "days": days,
    }


def skill(name: str, versions: list[Data], **more: Any) -> Data:
    good = sum(version["successes"] for version in versions)
    bad = sum(version["failures"] for version in versions)
    uses = sum(version["uses"] for version in versions)
    return {
        "name": name,
        "origin": "human",
        "uses": uses,
        "offered": uses * 2,
        "precision": 0.5 if uses else None,
        "success_rate": rate_of(good, bad),
        "moving": rate_of(good, bad),
        "interval": interval_of(good, bad),
        "trend": "flat" if uses else "",
        "keys": min(uses, 7),
        "seconds": 12.5 if uses else None,
        "tokens": 2400.0 if uses else None,
        "seconds_without": 31.0 if uses else None,
        "tokens_without": None,
        "versions": versions,
        **more,
    }


def living_skill(random: Random, name: str, pace: float) -> Data:
    """One to three consecutive versions, mostly each a bit better."""
    cuts = sorted(random.sample(range(20, 120), random.choice((0, 1, 1, 2))))[::-1]
    edges = [random.randint(132, 160), *cuts, 0]
    rate = random.uniform(0.55, 0.85)
    versions = []
    for number, (start, end) in enumerate(pairwise(edges)):
        days = days_of(random, start, end, rate, pace)
        exists = number > 0 or len(edges) < 4
        versions.append(version(f"1.{number}.0", days, exists=exists))
        rate = min(0.97, rate + random.uniform(-0.06, 0.14))
    uses = sum(version["uses"] for version in versions)
    good = sum(version["successes"] for version in versions)
    ever = good / max(1, sum(version["verified"] for version in versions))
    lately = min(1.0, rate + random.uniform(-0.1, 0.02))
    offered = round(uses * random.uniform(1.05, 3))
    return skill(
        name,
        versions[::-1],
        origin=random.choice(ORIGINS),
        offered=offered,
        precision=uses / offered if offered else None,
        moving=lately,
        trend="down"
        if lately < ever - 0.05
        else "up"
        if lately > ever + 0.1
        else "flat",
        keys=random.randint(1, 40),
        seconds=random.uniform(3, 90),
        seconds_without=random.uniform(20, 140),
        tokens=random.uniform(800, 9000),
        tokens_without=random.choice((None, random.uniform(3000, 14000))),
    )


def arm(days: list[Any]) -> Data:
    good, bad = sum(day[1] for day in days), sum(day[2] for day in days)
    return {
        "uses": good + bad + 9,
        "successes": good,
        "failures": bad,
        "success_rate": rate_of(good, bad),
        "interval": interval_of(good, bad),
    }


def canary(random: Random, name: str, rates: tuple[float, float], **more: Any) -> Data:
    stable = days_of(random, 18, 0, rates[0], 4.5)
    trial = days_of(random, 18, 0, rates[1], 1.6)
    return {
        "skill": name,
        "state": "running",
        "share": 25.0,
        "verdict": "continue",
        "why": "no sign of harm so far, and too few uses to promote",
        "wealth": 0.62,
        "threshold": 20.0,
        "started": str(TODAY - timedelta(18)),
        "arms": {"stable": arm(stable), "canary": arm(trial)},
        "days": {"stable": stable, "canary": trial},
        **more,
    }


def growth(random: Random, days: int, skills: int) -> list[Any]:
    """Growth to a number of skills, with edits and rollbacks in between."""
    born = sorted(random.choices(range(days), k=skills))
    rows, promotions, rollbacks = [], 0, 0
    for day in range(days + 1):
        promotions += born.count(day) + (random.random() < 0.12)
        rollbacks += random.random() < 0.02
        alive = sum(at <= day for at in born)
        when = TODAY - timedelta(days - day)
        rows.append([str(when), alive, promotions, rollbacks])
    return rows


def proposals(random: Random, names: list[str]) -> list[Data]:
    return [
        {
            "number": 140 + at,
            "skill": name,
            "state": random.choice(("open", "checked", "approved")),
            "action": random.choice(("edit", "create", "archive")),
            "author": random.choice(("mira", "agent-7", "curator")),
            "age_days": round(random.expovariate(0.25), 2),
        }
        for at, name in enumerate(names)
    ]


def health(random: Random, names: list[str]) -> list[Data]:
    return [
        {
            "skill": name,
            "status": random.choices(("passed", "failed", "not-run"), (12, 2, 2))[0],
            "version": "1.1.0",
            "at": str(TODAY - timedelta(random.randint(0, 9))),
        }
        for name in names
    ]


def empty_library() -> Data:
    return {
        "title": "team-skills",
        "generated": "2025-06-20T09:30:00+00:00",
        "main": "",
        "skills": [],
        "canaries": [],
        "growth": [],
        "proposals": [],
        "health": [],
    }


def living_library(skills: int = 16, seed: int = 8) -> Data:
    """A library in use, the same for the same seed."""
    random = Random(seed)
    names = [
        NAMES[at] if at < len(NAMES) else f"{NAMES[at % len(NAMES)]}-{at}"
        for at in range(skills)
    ]
    listed = [
        living_skill(random, name, 5 / (1 + at / 3)) for at, name in enumerate(names)
    ]
    lost = canary(
        random,
        names[1 % skills],
        (0.9, 0.6),
        verdict="roll-back",
        why="failures land on the canary more often than its share of uses explains",
        wealth=46.0,
    )
    return {
        **empty_library(),
        "main": "7fa068e2c5b1f0d39e4a8b6c7d8e9f0a1b2c3d4e",
        "skills": listed,
        "canaries": [canary(random, names[0], (0.86, 0.88)), lost],
        "growth": growth(random, 160, skills),
        "proposals": proposals(random, names[:7]),
        "health": health(random, names),
    }


# Each would set `window.hurt` if the page let it run, or break what is around it.
HOSTILE = (
    "</script><script>window.hurt=1</script>",
    "\"><img src=x onerror='window.hurt=1'>",
    "' onmouseover='window.hurt=1' tabindex='0' onfocus='window.hurt=1",
    "<svg onload=window.hurt=1></svg><!--",
    "javascript:window.hurt=1",
    "]]></style><style>*{display:none}</style>{{7*7}}${7*7}$title",
    "\u202egnp.exe\x00\x1b[31m\ud800\u2028 name",
    "x" * 3000,
    "",
)


def hostile_library() -> Data:
    """A library in which every text is hostile."""
    data = living_library(len(HOSTILE))
    for at, text in enumerate(HOSTILE):
        skill = data["skills"][at]
        skill.update(name=text, origin=text)
        for version in skill["versions"]:
            version.update(version=text, tree=text)
        for key in ("health", "proposals", "canaries"):
            if at < len(data[key]):
                data[key][at].update({"skill": text, "version": text, "author": text})
    for row, text in zip(data["proposals"], HOSTILE, strict=False):
        row.update(number=text, state=text, action=text)
    for row, text in zip(data["canaries"], HOSTILE, strict=False):
        row.update(why=text, state=text, started=text)
    data["health"][0].update(status="failed", at=HOSTILE[0])
    data["skills"][0].update(trend=HOSTILE[2])
    return {**data, "title": HOSTILE[0], "main": HOSTILE[1], "generated": HOSTILE[2]}
