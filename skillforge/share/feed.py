"""What is new on a hub, for feed readers: Atom, with dates from commits."""

import re
from collections.abc import Iterator
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from skillforge.share.hub import Hub, PublishedSkill, PublishedVersion

_MOST = 100  # entries
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def feed(hub: Hub) -> bytes:
    """The newest versions of all skills, the newest first."""
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{_text(hub.title)}</title>",
        f"<id>{_text(hub.url or f'urn:skillforge:hub:{hub.commit}')}</id>",
        f"<updated>{_text(hub.date)}</updated>",
        f"<author><name>{_text(hub.title)}</name></author>",
        f"<link href={_attribute(hub.url or './')}/>",
        f'<link rel="self" href={_attribute(f"{hub.url}index.xml")}/>',
    ]
    news = [(skill, it) for skill in hub.skills for it in skill.versions]
    # Of one moment by name, so that the order is always the same.
    news.sort(key=lambda it: it[0].name)
    news.sort(key=lambda it: it[1].date, reverse=True)
    for skill, version in news[:_MOST]:
        lines += _entry(hub, skill, version)
    return "\n".join([*lines, "</feed>", ""]).encode()


def _entry(hub: Hub, skill: PublishedSkill, version: PublishedVersion) -> Iterator[str]:
    page = f"{hub.url}skills/{quote(skill.name)}/index.html"
    said = version.why or skill.description
    yield "<entry>"
    yield f"<title>{_text(f'{skill.name} {version.version}'.strip())}</title>"
    yield f"<id>urn:skillforge:{version.commit}:{_text(quote(skill.name))}</id>"
    yield f"<updated>{_text(version.date)}</updated>"
    yield f"<author><name>{_text(version.author)}</name></author>"
    yield f"<link href={_attribute(page)}/>"
    yield f"<summary>{_text(said)}</summary>"
    yield "</entry>"


def _text(words: str) -> str:
    return escape(_NOT_XML.sub("", words))


def _attribute(words: str) -> str:
    return quoteattr(_NOT_XML.sub("", words))
