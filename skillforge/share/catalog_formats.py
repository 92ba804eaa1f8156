"""Catalogs as text, XML and Markdown."""

from collections.abc import Callable
from html import escape

from skillforge.report import plain, plural, printable
from skillforge.share.catalog import Catalog, CatalogGroup, CatalogItem

Locate = Callable[[str], str]  # a skill's name to the path of its SKILL.md


def text(catalog: Catalog, _locate: Locate) -> str:
    """One line for each skill with a description, then one with all other names."""
    described, names = _split(catalog)
    lines = [f"{item.name}: {printable(_line(item))}" for item in described]
    lines += [", ".join(names)] if names else []
    lines += [printable(_group(group)) for group in catalog.groups]
    if note := omission_note(catalog):
        lines.append(f"({note})")
    return "\n".join(lines) if lines else "no skills"


def xml(catalog: Catalog, locate: Locate) -> str:
    """The format of `skills-ref to-prompt`; groups and omissions are comments."""
    lines = ["<available_skills>"]
    for item in catalog.items:
        lines += ["<skill>", "<name>", escape(item.name), "</name>"]
        if item.description is not None:
            lines += ["<description>", escape(item.description), "</description>"]
            lines += ["<location>", locate(item.name), "</location>"]
        lines.append("</skill>")
    comments = [*map(_group, catalog.groups), omission_note(catalog)]
    lines += [f"<!-- {_comment(comment)} -->" for comment in comments if comment]
    return "\n".join([*lines, "</available_skills>"])


def markdown(catalog: Catalog, _locate: Locate) -> str:
    """A list for a page or a README."""
    described, names = _split(catalog)
    lines = [f"- **{item.name}**: {plain(_line(item))}" for item in described]
    lines += [f"- **{name}**" for name in names]
    lines += [f"- {plain(_group(group))}" for group in catalog.groups]
    if note := omission_note(catalog):
        lines += ["", f"_{note}_"] if lines else [f"_{note}_"]
    return "\n".join(lines) if lines else "No skills."


FORMS = {"text": text, "xml": xml, "markdown": markdown}


def omission_note(catalog: Catalog) -> str:
    """What a catalog omits, and the command that shows it; empty if nothing."""
    omissions = catalog.omissions
    counts = (
        (omissions.shortened, "description", "shortened"),
        (omissions.names_only, "skill", "without description"),
        (omissions.skills, "skill", "not listed"),
        (omissions.groups, "group", "not listed"),
        (omissions.unusable, "skill", "unreadable"),
    )
    parts = [f"{plural(count, noun)} {state}" for count, noun, state in counts if count]
    if not parts:
        return ""
    command = "search WORDS" if omissions.skills else "show NAME"
    return f"{', '.join(parts)}; for details: skillforge {command}"


def _split(catalog: Catalog) -> tuple[list[CatalogItem], list[str]]:
    """The skills with a description, and the names of the others."""
    described = [item for item in catalog.items if item.description is not None]
    return described, [i.name for i in catalog.items if i.description is None]


def _group(group: CatalogGroup) -> str:
    """A group, its size, and some of its skills."""
    names = ", ".join(group.examples)
    if group.skills == len(group.examples):
        return f"{group.name}: {names}"
    examples = f", such as {names}" if names else ""
    return f"{group.name}: {plural(group.skills, 'skill')}{examples}"


def _line(item: CatalogItem) -> str:
    return " ".join((item.description or "").split())


def _comment(text: str) -> str:
    """Text that can't end a comment."""
    return escape(printable(text)).replace("--", "- -")
