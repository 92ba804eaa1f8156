"""The review page of a proposal, as Markdown: what a reviewer decides from.

Whatever a skill, its evidence or its author says is shown as words or code and as
nothing else: none of it becomes a link, a mention, a heading or a trailer.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from skillforge.checks import path_policy
from skillforge.forge import Forge, ReviewPage
from skillforge.gitrepo import diff, trailers
from skillforge.history import identity, readable_version
from skillforge.library import Library
from skillforge.model import (
    EVIDENCE,
    OURS,
    SKILL_FILE,
    SKILLS,
    Action,
    CheckResult,
    Finding,
    Proposal,
    Report,
    Severity,
    Status,
    Verdict,
)
from skillforge.propose import gate, review
from skillforge.propose.candidate import Candidate
from skillforge.propose.review import ReviewBrief
from skillforge.render.text.proposals import growth
from skillforge.report import code, markdown, plain, plural
from skillforge.text import shortened

_SIGNS = {
    Status.PASSED: "✅ passed",
    Status.FAILED: "❌ failed",
    Status.ERROR: "❌ came to no end",
    Status.NOT_RUN: "⏳ not run here",
}
_LONGEST = 60_000  # characters; GitHub takes 65,536
_FILES = 30  # that are listed
_FINDINGS = 50
_TEXT = 1000  # characters of what an author says
_CELL = 300  # of what stands in a table
_NAME = 160
_SLOW = (
    "test",
)  # checks that run where untrusted code may: not on the author's machine


def of(library: Library, forge: Forge, proposal: Proposal) -> ReviewPage:
    """The page; checks that take long are left to CI."""
    verdict = gate.judge(library, Candidate.of(proposal), leave_out=_SLOW)
    brief = review.gather(library, proposal, verdict)
    sections = [
        _head(brief),
        _changes(library, brief),
        _evidence(brief),
        _checks(brief, forge.checks_url(proposal)),
        _risk(brief),
        _commands(brief, forge.checkout_command(proposal)),
    ]
    text = "\n\n".join("\n".join(section) for section in sections if section)
    return ReviewPage(_cut(text), _labels(brief))


def _labels(brief: ReviewBrief) -> tuple[str, ...]:
    proposal = brief.proposal
    risk = (f"risk:{brief.verdict.danger}",) if brief.verdict.danger else ()
    return ("skill", f"origin:{proposal.origin}", f"action:{proposal.action}", *risk)


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    whole = text[:_LONGEST].rpartition("\n")[0]
    return f"{whole}\n\n*The page is cut: `skillforge review` shows all of it.*"


def _head(brief: ReviewBrief) -> list[str]:
    proposal = brief.proposal
    author, _mail = identity.parts(proposal.author)
    fork = ", from a fork" if proposal.is_from_fork else ""
    by = f"by {plain(author)} ({proposal.origin}{fork})"
    lines = [f"**{plain(proposal.title)}**, {by}{_session(proposal)}"]
    if brief.description:
        lines += ["", f"> {plain(shortened(brief.description, _TEXT))}"]
    if proposal.why:
        lines += ["", f"**Why:** {plain(shortened(proposal.why, _TEXT))}"]
    if others := proposal.skills[1:]:
        lines += ["", f"**With it:** {', '.join(map(code, others))}"]
    if proposal.absorbed_into:
        lines += ["", f"**Goes into:** {code(proposal.absorbed_into)}"]
    return lines


def _session(proposal: Proposal) -> str:
    """Where an agent's draft comes from, as far as it says so."""
    said = trailers.read(proposal.message)
    found = {name: trailers.first(said, name) for name in ("Session", "Model")}
    return "".join(f", {name.lower()} {code(it)}" for name, it in found.items() if it)


def _changes(library: Library, brief: ReviewBrief) -> list[str]:
    proposal = brief.proposal
    repo = library.repository()
    rows = _rows(diff.diff_lines(repo, proposal.base, proposal.head))
    lines = [
        "### What changes",
        "",
        "| file | added | removed |",
        "| --- | --- | --- |",
    ]
    lines += rows[:_FILES]
    if (left := len(rows) - _FILES) > 0:
        lines.append(f"| {plural(left, 'more file')} | | |")
    path = f"{SKILLS}/{proposal.skill}/{SKILL_FILE}"
    found = repo.find_all([f"{it}:{path}" for it in (proposal.base, proposal.head)])
    was, now = (readable_version.of(it.data) if it else "" for it in found)
    version = f"Version {code(was or 'none')} to {code(now or 'none')}; "
    sizes = f"`SKILL.md` {growth(*brief.sizes)}"
    total = f"all files {growth(*brief.totals)}"
    return [*lines, "", f"{version}{sizes}; {total}."]


def _rows(changed: Iterable[tuple[str, str, str]]) -> list[str]:
    """What a draft changes; its example files, however many, stand in one row.

    So they cannot push a file of the skill off the page.
    """
    rows, examples = [], dict[str, list[tuple[str, str]]]()
    for path, more, less in changed:
        folder = path.rpartition("/")[0]
        if folder.startswith(f"{EVIDENCE}/") and path.endswith(".json"):
            examples.setdefault(folder, []).append((more, less))
        else:
            rows.append(f"| {code(path)} | {more} | {less} |")
    for folder, counts in examples.items():
        added, removed = (
            sum(int(it) for it in column if it.isdecimal())
            for column in zip(*counts, strict=True)
        )
        named = f"{code(folder)}: {plural(len(counts), 'example file')}"
        rows.append(f"| {named} | {added} | {removed} |")
    return rows


def _evidence(brief: ReviewBrief) -> list[str]:
    lines = ["### Evidence", ""]
    if brief.proposal.action is Action.ROLLBACK:
        return []  # it rests on what main held before
    if not brief.told:
        return [*lines, "It names no example that it was learned from."]
    lines += ["| example | task | outcome | verified by | reviewed by |"]
    lines += ["| --- | --- | --- | --- | --- |"]
    for number, *rest in brief.told:
        lines.append(f"| {' | '.join([code(number[:12]), *map(plain, rest)])} |")
    return lines


def _checks(brief: ReviewBrief, url: str) -> list[str]:
    lines = ["### Checks", "", *_check_table(brief.verdict, url)]
    results = f"; [results of CI]({url})" if url else ""
    return [*lines, "", f"Checked when it was proposed{results}."]


def _check_table(verdict: Verdict, url: str) -> Iterator[str]:
    yield "| check | result |"
    yield "| --- | --- |"
    for check in verdict.checks:
        name = f"[{code(check.name)}]({url})" if url else code(check.name)
        yield f"| {name} | {_SIGNS[check.status]}{_count(check)} |"


def _count(check: CheckResult) -> str:
    found = Report(check.findings)
    counts = [
        plural(found.count(severity), severity)
        for severity in (Severity.ERROR, Severity.WARNING)
        if found.count(severity)
    ]
    return f" ({', '.join(counts)})" if counts else ""


def _risk(brief: ReviewBrief) -> list[str]:
    danger = brief.verdict.danger
    is_new = brief.proposal.action is Action.CREATE
    nothing = "nothing" if is_new else "nothing that it had not before"
    powers = ", ".join(map(code, brief.powers)) or nothing
    near = [f"{code(n.name)} {n.similarity:.0%}" for n in brief.neighbours]
    lines = ["### Risk", ""]
    lines += [f"- Security scan: **{danger}**"] if danger else []
    lines += [f"- Asks for: {powers}"]
    lines += [f"- Says the same as: {', '.join(near) or 'no other skill'}"]
    lines += [f"- Needs {plural(brief.needed, 'approval')} by others, of this commit"]
    return [*lines, *_findings(brief.verdict)]


def _findings(verdict: Verdict) -> list[str]:
    found = [
        finding
        for check in verdict.checks
        for finding in check.findings
        if finding.severity is not Severity.NOTE
    ]
    if not found:
        return []
    shown = tuple(_shortened(finding) for finding in found[:_FINDINGS])
    table = markdown(Report(shown)).split("\n")[2:]
    more = len(found) - _FINDINGS
    return ["", *table, *([f"\n{plural(more, 'more finding')}."] if more > 0 else [])]


def _shortened(finding: Finding) -> Finding:
    """One that cannot push the rest off the page."""
    return replace(
        finding,
        rule=shortened(finding.rule, _NAME),
        message=shortened(finding.message, _CELL),
        path=shortened(finding.path, _NAME),
        hint=shortened(finding.hint, _CELL),
    )


def _commands(brief: ReviewBrief, checkout: str) -> list[str]:
    proposal = brief.proposal
    number, name = proposal.number, proposal.skill
    is_name = path_policy.is_name(name)  # else it is no word for a shell
    is_there = is_name and proposal.action not in (Action.DELETE, Action.ARCHIVE)
    test = f" && skillforge test {name}" if is_there else ""
    lines = [
        "### Try it, decide, take it back",
        "",
        "```sh",
        f"{checkout}{test}",
        f"skillforge review {number}             # this page, from your own checks",
        f"skillforge review {number} --approve   # of exactly {proposal.head[:12]}",
        f"skillforge promote {number}",
    ]
    if is_name and proposal.action != Action.ROLLBACK:
        lines += [f"skillforge rollback {name} --why TEXT   # when it is merged"]
    return [*lines, "```"]


def report(verdict: Verdict, doubts: tuple[str, ...] = (), url: str = "") -> str:
    """What the gate said, as the one comment that it keeps; `url` is where it ran.

    `doubts` are reasons not to believe it, and come first.
    """
    end = "passed" if verdict.passed else "refuses this"
    if not any(check.skills for check in verdict.checks):
        end += ": no skill is touched, so there was nothing to judge"
    danger = f" Security scan: **{verdict.danger}**." if verdict.danger else ""
    lines = [f"### The gate {end}", ""] if not doubts else []
    lines += [f"⚠️ **Do not trust this report:** {doubt}\n" for doubt in doubts]
    lines += [f"Judged `{verdict.head[:12]}` on `{verdict.base[:12]}`.{danger}", ""]
    return _cut("\n".join([*lines, *_check_table(verdict, url), *_findings(verdict)]))


def doubts(library: Library, proposal: Proposal, verdict: Verdict) -> tuple[str, ...]:
    """Why a report that somebody else made may not be what it says."""
    repo = library.repository()
    found = []
    changed = diff.changed_paths(repo, proposal.base, proposal.head, ".")
    if beyond := [path for path in changed if path.partition("/")[0] not in OURS]:
        shown = ", ".join(map(code, beyond[:_FILES]))
        found.append(
            f"the branch also changes {shown}, and so perhaps what judges it. Ask for "
            "skills and for the rest one by one."
        )
    if not repo.is_ancestor(verdict.base, library.tip):
        base = code(verdict.base[:12])
        found.append(
            f"it was judged by what {base} says, which is not on {library.main}."
        )
    return tuple(found)
