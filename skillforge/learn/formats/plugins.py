"""Formats of other packages: their failures are reported and stop nothing else."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from skillforge.errors import ToolError
from skillforge.learn.formats import (
    Episode,
    Format,
    FormatProblem,
    Record,
    RecordOrigin,
)
from skillforge.model import Example


def load(point: Any) -> "PluginFormat | BrokenFormat":
    """The format of an entry point."""
    try:
        return PluginFormat(point.name, point.load())
    except (Exception, SystemExit) as err:  # noqa: BLE001 - it may raise anything
        return BrokenFormat(point.name, _described(err))


class BrokenFormat:
    """A format that can't be loaded: an error only for those who need it."""

    def __init__(self, name: str, why: str) -> None:
        self.NAME = name
        self.error = ToolError(
            f"the transcript format {name!r} cannot be loaded: {why}",
            hint="fix or uninstall the package that provides it",
        )

    def knows(self, _first: Mapping[str, Any]) -> bool:
        return False

    def read(
        self, _records: Iterable[Record], _origin: RecordOrigin
    ) -> Iterator[Episode]:
        raise self.error


class PluginFormat:
    """A format, under the name of its entry point."""

    def __init__(self, name: str, form: Format) -> None:
        self.NAME = name
        self._form = form

    def knows(self, first: Mapping[str, Any]) -> bool:
        try:
            return bool(self._form.knows(first))
        except (Exception, SystemExit):  # noqa: BLE001 - it may raise anything
            return False

    def read(
        self, records: Iterable[Record], origin: RecordOrigin
    ) -> Iterator[Episode]:
        """Its episodes, up to where it fails, which is reported as a problem."""
        line = 0

        def counted() -> Iterator[Record]:
            nonlocal line
            for record in records:
                line = record.line
                yield record

        try:
            results: Iterator[object] = self._form.read(counted(), origin)
            for result in results:
                if isinstance(result, Example | FormatProblem):
                    yield result
                else:
                    wrong = type(result).__name__
                    message = f"the format {self.NAME} returned a {wrong}"
                    yield FormatProblem(line, message)
        except (Exception, SystemExit) as err:  # noqa: BLE001 - as above
            message = f"the format {self.NAME} failed: {_described(err)}"
            yield FormatProblem(line, message)


def _described(err: BaseException) -> str:
    return f"{type(err).__name__}: {err}"
