"""HTML read strictly: what is not closed in order, or said twice, is a mistake."""

from html.parser import HTMLParser

VOID = {"br", "hr", "img", "input", "link", "meta"}


class Reader(HTMLParser):
    """The elements of a page; reading one that is not well-formed fails."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []
        ids = self.values("id")
        assert len(ids) == len(set(ids)), "an id stands twice"

    def values(self, attribute: str) -> list[str]:
        found = (attributes.get(attribute) for _, attributes in self.elements)
        return [value for value in found if value is not None]

    @property
    def text(self) -> str:
        return "".join(self.words)

    @property
    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"{tag} has an attribute twice: {names}"
        assert tag != "a" or "a" not in self._open, "a link stands in a link"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"{tag} was not open"
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)
