"""Catalogs as text, XML and Markdown."""

from collections.abc import Callable

from skillforge.report import plain, plural, printable
from skillforge.share.catalog import Catalog, CatalogGroup, CatalogItem

Locate = Callable[[str], str]  # where the SKILL.md of a skill lies, by its name


def text(catalog: Catalog, _locate: Locate) -> str:
    """One skill on a line; names alone stand together."""
    lines = [f"{it.name}: {_line(it.description)}" for it in _described(catalog)]
    if names := [it.name for it in catalog.items if it.description is None]:
        lines.append(", ".join(names))
    lines += [printable(_group(group)) for group in catalog.groups]
    if note := left_out(catalog):
        lines.append(f"({note})")
    return "\n".join(lines) if lines else "there are no skills"


def xml(catalog: Catalog, locate: Locate) -> str:
    """As `skills-ref to-prompt` writes it; what is left out stands in a comment."""
    from html import escape

    lines = ["<available_skills>"]
    for it in catalog.items:
        lines += ["<skill>", "<name>", escape(it.name), "</name>"]
        if it.description is not None:
            lines += ["<description>", escape(it.description), "</description>"]
            lines += ["<location>", locate(it.name), "</location>"]
        lines.append("</skill>")
    lines += [f"<!-- {_safe(_group(group))} -->" for group in catalog.groups]
    if note := left_out(catalog):
        lines.append(f"<!-- {_safe(note)} -->")
    return "\n".join([*lines, "</available_skills>"])


def markdown(catalog: Catalog, _locate: Locate) -> str:
    """A list for a page or a README."""
    lines = [f"- **{it.name}**: {_plain(it)}" for it in _described(catalog)]
    lines += [f"- **{it.name}**" for it in catalog.items if it.description is None]
    lines += [f"- {plain(_group(group))}" for group in catalog.groups]
    if note := left_out(catalog):
        lines += ["", f"_{note}_"] if lines else [f"_{note}_"]
    return "\n".join(lines) if lines else "There are no skills."


FORMS = {"text": text, "xml": xml, "markdown": markdown}


def left_out(catalog: Catalog) -> str:
    """What a catalog does not tell, and how to come by it; empty if it tells all."""
    left = catalog.left_out
    parts = []
    if left.shortened:
        parts.append(f"{plural(left.shortened, 'description')} shortened")
    if left.names_only:
        parts.append(f"no descriptions of {plural(left.names_only, 'skill')}")
    if left.skills:
        parts.append(f"{plural(left.skills, 'skill')} not named")
    if left.groups:
        parts.append(f"{plural(left.groups, 'group')} not named")
    if left.unusable:
        parts.append(f"{plural(left.unusable, 'skill')} cannot be read")
    if not parts:
        return ""
    verb = "search WORDS" if left.skills else "show NAME"
    return f"left out: {', '.join(parts)}; `skillforge {verb}` tells more"


def _described(catalog: Catalog) -> list[CatalogItem]:
    return [it for it in catalog.items if it.description is not None]


def _group(group: CatalogGroup) -> str:
    """A group, its size, and some of its skills."""
    names = ", ".join(group.examples)
    if group.skills == len(group.examples):
        return f"{group.name}: {names}"
    such = f", such as {names}" if names else ""
    return f"{group.name}: {plural(group.skills, 'skill')}{such}"


def _line(description: str | None) -> str:
    return printable(" ".join((description or "").split()))


def _plain(item: CatalogItem) -> str:
    return plain(" ".join((item.description or "").split()))


def _safe(words: str) -> str:
    """Words that do not end a comment."""
    from html import escape

    return escape(printable(words)).replace("--", "- -")
