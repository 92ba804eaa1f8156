"""Formats of others: what goes wrong in them is told, and stops nothing else."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from skillforge.errors import ToolError
from skillforge.learn.formats import Format, FormatProblem, Found, Record, RecordOrigin
from skillforge.model import Example


def loaded(point: Any) -> "PluginFormat":
    """The format of an entry point."""
    try:
        return PluginFormat(point.name, point.load())
    except Exception as err:
        raise ToolError(
            f"the transcript format {point.name!r} cannot be loaded: {_said(err)}",
            hint="mend or uninstall the package that it comes with",
        ) from err


class PluginFormat:
    """A format that goes by the name of its entry point, whatever it calls itself."""

    def __init__(self, name: str, form: Format) -> None:
        self.NAME = name
        self._form = form

    def knows(self, first: Mapping[str, Any]) -> bool:
        try:
            return bool(self._form.knows(first))
        except Exception:  # noqa: BLE001 - it may be any, and is no reason to stop
            return False

    def read(self, records: Iterable[Record], origin: RecordOrigin) -> Iterator[Found]:
        """Its episodes; where it fails, that it did, and nothing after that."""
        line = 0

        def counted() -> Iterator[Record]:
            nonlocal line
            for record in records:
                line = record.line
                yield record

        try:
            for found in self._form.read(counted(), origin):
                yield (
                    found if _is_found(found) else FormatProblem(line, self._odd(found))
                )
        except Exception as err:  # noqa: BLE001 - as above
            yield FormatProblem(
                line, f"the format {self.NAME} fails here: {_said(err)}"
            )

    def _odd(self, found: object) -> str:
        return f"the format {self.NAME} made a {type(found).__name__} of it"


def _is_found(found: object) -> bool:
    return isinstance(found, Example | FormatProblem)


def _said(err: Exception) -> str:
    return f"{type(err).__name__}: {err}"
