"""Skills as text: lists, search results, one skill."""

from typing import TYPE_CHECKING

from skillforge.model import SKILL_FILE
from skillforge.report import plural, printable

if TYPE_CHECKING:
    from skillforge.share.skill_view import SkillView
    from skillforge.store.index import IndexedSkill
    from skillforge.workflows.skills import SearchResults, SkillList

_LINE = 100  # characters of a description in a list


def list_(result: "SkillList") -> str:
    """One skill per line, and how many there are."""
    skills = result.skills
    width = min(max((len(skill.name) for skill in skills), default=0), 40)
    lines = [f"{printable(skill.name):<{width}}  {_about(skill)}" for skill in skills]
    return "\n".join([*lines, plural(len(skills), "skill")])


def _about(skill: "IndexedSkill") -> str:
    return f"({skill.problem})" if skill.problem else _short(skill.description)


def _short(description: str) -> str:
    """A description on one line, cut between words."""
    line = " ".join(description.split())
    if len(line) > _LINE:
        line = f"{line[:_LINE].rpartition(' ')[0] or line[: _LINE - 1]}…"
    return printable(line)


def search(result: "SearchResults") -> str:
    """Each skill with its description and the words that matched."""
    hits, query = result.hits, result.query
    if not hits:
        why = f"no skill matches {query!r}" if query.strip() else "the query is empty"
        return f"{printable(why)}\nnext: skillforge list shows all skills"
    lines = []
    for hit in hits:
        lines.append(f"{hit.skill.name}  {_about(hit.skill)}")
        why = "; ".join(
            f"{field}: {', '.join(words)}" for field, words in hit.why.items()
        )
        lines.append(printable(f"    {why}"))
    return "\n".join([*lines, f"next: skillforge show {hits[0].skill.name}"])


def show(view: "SkillView") -> str:
    """Metadata, the other files, then the instructions as they are."""
    lines = [f"{view.skill.name} {view.version}".rstrip(), f"tree {view.tree}"]
    lines.append(f"commit {view.commit}")
    if licence := view.words("license"):
        lines.append(f"license {licence}")
    lines += ["", view.words("description") or "(no description)"]
    others = [path for path in sorted(view.files) if path != SKILL_FILE]
    lines += [f"file {path} ({view.files[path].size:,} bytes)" for path in others]
    lines += ["", view.body.strip("\n")]
    text = "\n".join(lines).replace("\r\n", "\n").replace("\t", "    ")
    return "\n".join(map(printable, text.split("\n")))
