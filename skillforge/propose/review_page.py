"""The review page of a proposal, as Markdown: what a reviewer decides from.

Text from a skill, its evidence or its author is shown as plain text or code only: it
can't become a link, a mention, a heading or a trailer.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from skillforge.checks import path_policy
from skillforge.forge import ReviewPage
from skillforge.gitrepo import diff, trailers
from skillforge.history import identity, readable_version, steps
from skillforge.library import Library
from skillforge.model import (
    EVIDENCE,
    SKILL_FILE,
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
from skillforge.propose.workspace import Workspace
from skillforge.render.text.proposals import growth
from skillforge.report import code, is_news, markdown, plain, plural
from skillforge.text import shortened

_SIGNS = {
    Status.PASSED: "✅ passed",
    Status.FAILED: "❌ failed",
    Status.ERROR: "❌ error",
    Status.NOT_RUN: "⏳ not run here",
}
_LONGEST = 60_000  # characters; GitHub takes 65,536
_FILES = 30  # that are listed
_FINDINGS = 50
_TEXT = 1000  # characters of what an author says
_CELL = 300  # of a table
_NAME = 160
_WITHOUT_TESTS = (Action.DELETE, Action.ARCHIVE, Action.WAIVE)
_CI_ONLY = ("test",)  # checks that run untrusted code: not on the author's machine


def of(workspace: Workspace, proposal: Proposal) -> ReviewPage:
    """The page; checks that run untrusted code are left to CI."""
    library, forge = workspace.library, workspace.forge
    verdict = gate.judge(library, Candidate.of(proposal), skip=_CI_ONLY)
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
    shown = text[:_LONGEST].rpartition("\n")[0]
    return f"{shown}\n\n*This page is truncated: `skillforge review` shows all of it.*"


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
        lines += ["", f"**Also changes:** {', '.join(map(code, others))}"]
    if proposal.absorbed_into:
        lines += ["", f"**Absorbed into:** {code(proposal.absorbed_into)}"]
    return lines


def _session(proposal: Proposal) -> str:
    """The session and model that an agent's draft names."""
    lines = trailers.read(proposal.message)
    values = {name: trailers.first(lines, name) for name in ("Session", "Model")}
    return "".join(f", {name.lower()} {code(v)}" for name, v in values.items() if v)


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
    path = f"{library.path_of(proposal.skill)}/{SKILL_FILE}"
    commits = (proposal.base, proposal.head)
    files = repo.find_all([f"{commit}:{path}" for commit in commits])
    old, new = (readable_version.of(file.data) if file else "" for file in files)
    version = f"Version {code(old or 'none')} to {code(new or 'none')}; "
    sizes = f"`SKILL.md` {growth(*brief.sizes)}"
    total = f"all files {growth(*brief.totals)}"
    return [*lines, "", f"{version}{sizes}; {total}."]


def _rows(changed: Iterable[tuple[str, str, str]]) -> list[str]:
    """The changed files; all example files share one row.

    So they can't push a file of the skill off the page.
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
            sum(int(count) for count in column if count.isdecimal())
            for column in zip(*counts, strict=True)
        )
        label = f"{code(folder)}: {plural(len(counts), 'example file')}"
        rows.append(f"| {label} | {added} | {removed} |")
    return rows


def _evidence(brief: ReviewBrief) -> list[str]:
    lines = ["### Evidence", ""]
    if brief.proposal.action is Action.ROLLBACK:
        return []  # an earlier version needs none
    if not brief.examples:
        return [*lines, "The proposal names no examples."]
    lines += ["| example | task | outcome | verified by | reviewed by |"]
    lines += ["| --- | --- | --- | --- | --- |"]
    for example, *rest in brief.examples:
        lines.append(f"| {' | '.join([code(example[:12]), *map(plain, rest)])} |")
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
    report = Report(check.findings)
    counts = [
        plural(count, severity)
        for severity in (Severity.ERROR, Severity.WARNING)
        if (count := report.count(severity))
    ]
    return f" ({', '.join(counts)})" if counts else ""


def _risk(brief: ReviewBrief) -> list[str]:
    danger = brief.verdict.danger
    is_new = brief.proposal.action is Action.CREATE
    nothing = "nothing" if is_new else "nothing new"
    powers = ", ".join(map(code, brief.powers)) or nothing
    near = [f"{code(n.name)} {n.similarity:.0%}" for n in brief.neighbours]
    lines = ["### Risk", ""]
    lines += [f"- Security scan: **{danger}**"] if danger else []
    lines += [f"- Asks for: {powers}"]
    lines += [f"- Similar to: {', '.join(near) or 'no other skill'}"]
    lines += [f"- Needs {plural(brief.needed, 'approval')} of this commit by others"]
    return [*lines, *_findings(brief.verdict)]


def _findings(verdict: Verdict) -> list[str]:
    findings = [
        finding
        for check in verdict.checks
        for finding in check.findings
        if is_news(finding)
    ]
    known = sum(f.known for check in verdict.checks for f in check.findings)
    counted = (
        ["", f"{plural(known, 'known finding')} in the baseline."] if known else []
    )
    if not findings:
        return counted
    shown = tuple(_shortened(finding) for finding in findings[:_FINDINGS])
    table = markdown(Report(shown)).split("\n")[2:]
    more = len(findings) - _FINDINGS
    return [
        *counted,
        "",
        *table,
        *([f"\n{plural(more, 'more finding')}."] if more > 0 else []),
    ]


def _shortened(finding: Finding) -> Finding:
    """A finding that can't push the rest off the page."""
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
    is_name = path_policy.is_skill_name(name)  # and so safe in a shell command
    has_tests = is_name and proposal.action not in _WITHOUT_TESTS
    test = f" && skillforge test {name}" if has_tests else ""
    lines = [
        "### Try it, decide, roll it back",
        "",
        "```sh",
        f"{checkout}{test}",
        f"skillforge review {number}             # this page, from your own gate run",
        f"skillforge review {number} --approve   # exactly {proposal.head[:12]}",
        f"skillforge promote {number}",
    ]
    if is_name and proposal.action not in (Action.ROLLBACK, Action.WAIVE):
        lines += [f"skillforge rollback {name} --why TEXT   # after the merge"]
    return [*lines, "```"]


def report(verdict: Verdict, doubts: tuple[str, ...] = (), url: str = "") -> str:
    """The gate's verdict as the one comment that it keeps up to date.

    `doubts` are reasons not to trust it, and come first. `url` is the gate's run.
    """
    end = "passed" if verdict.passed else "failed"
    if not any(check.skills for check in verdict.checks):
        end += ": no skill changed, so there was nothing to check"
    danger = f" Security scan: **{verdict.danger}**." if verdict.danger else ""
    lines = [f"### The gate {end}", ""] if not doubts else []
    lines += [f"⚠️ **Do not trust this report:** {doubt}\n" for doubt in doubts]
    lines += [f"Checked `{verdict.head[:12]}` on `{verdict.base[:12]}`.{danger}", ""]
    return _cut("\n".join([*lines, *_check_table(verdict, url), *_findings(verdict)]))


def doubts(library: Library, proposal: Proposal, verdict: Verdict) -> tuple[str, ...]:
    """Reasons not to trust a report that another machine made."""
    repo = library.repository()
    reasons = []
    changed = diff.changed_paths(repo, proposal.base, proposal.head, ".")
    if others := [path for path in changed if not steps.is_ours(library.layout, path)]:
        shown = ", ".join(map(code, others[:_FILES]))
        reasons.append(
            f"the branch also changes {shown}, and so perhaps the gate itself. Ask for "
            "separate pull requests for skills and for the rest."
        )
    if not repo.is_ancestor(verdict.base, library.tip):
        base = code(verdict.base[:12])
        reasons.append(
            f"it was checked by the policy of {base}, which is not on {library.main}."
        )
    return tuple(reasons)
