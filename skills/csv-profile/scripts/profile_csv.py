#!/usr/bin/env python3
"""Profile a CSV file: one JSON object about its shape and its columns."""

import argparse
import csv
import json
import re
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

MOST_DISTINCT = 10_000
NUMBER = re.compile(r"[-+]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?\.\d+")
CODE = re.compile(r"0\d+")  # a postcode, a phone number: digits that do not count
DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?Z?)?")


class Column:
    """What is known of one column so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.empty = 0
        self.values: set[str] = set()
        self.examples: dict[str, str] = {}  # one for each type that occurs
        self.numbers = (float("inf"), float("-inf"))
        self.dates = ("9999", "")

    def add(self, cell: str) -> None:
        cell = cell.strip()
        if not cell:
            self.empty += 1
            return
        if len(self.values) <= MOST_DISTINCT:
            self.values.add(cell)
        if NUMBER.fullmatch(cell):
            number = float(cell)
            self.numbers = (min(self.numbers[0], number), max(self.numbers[1], number))
            self.examples.setdefault("number", cell)
        elif DATE.fullmatch(cell):
            self.dates = (min(self.dates[0], cell), max(self.dates[1], cell))
            self.examples.setdefault("date", cell)
        elif CODE.fullmatch(cell):
            self.examples.setdefault("code", cell[:40])
        else:
            self.examples.setdefault("text", cell[:40])

    def report(self) -> dict[str, object]:
        kinds = set(self.examples)
        if "code" in kinds:  # then its other numbers are codes as well
            kinds = kinds - {"code", "number"} | {"text"}
        kind = "mixed" if len(kinds) > 1 else next(iter(kinds), "empty")
        many = len(self.values) > MOST_DISTINCT
        about: dict[str, object] = {
            "name": self.name,
            "type": kind,
            "empty": self.empty,
            "distinct": f"over {MOST_DISTINCT}" if many else len(self.values),
        }
        if kind == "number":
            about["range"] = self.numbers
        elif kind == "date":
            about["range"] = self.dates
        elif kind == "mixed":
            about["examples"] = list(self.examples.values())
        return about


def encoding_of(path: Path) -> str:
    """UTF-8 if all of the file is; else the encoding of older Windows programs."""
    with path.open("rb") as file:
        start = file.read(4)
        if start.startswith((b"\xff\xfe", b"\xfe\xff")):
            return "utf-16"
        file.seek(0)
        try:
            for line in file:
                line.decode("utf-8")
        except UnicodeDecodeError:
            return "cp1252"
    return "utf-8-sig" if start.startswith(b"\xef\xbb\xbf") else "utf-8"


def delimiter_of(sample: str) -> str:
    """The candidate that splits most lines into the same number of cells."""
    lines = [line for line in sample.splitlines()[:50] if line.strip()]

    def steadiness(sign: str) -> tuple[int, int]:
        counts = [line.count(sign) for line in lines]
        usual = max(set(counts), key=counts.count)
        return (counts.count(usual) if usual else 0, usual)

    return max(",;\t|", key=steadiness)


def read_rows(path: Path, encoding: str) -> tuple[str, Iterator[tuple[int, list[str]]]]:
    """The delimiter, and the rows with the line on which each ends."""
    with path.open(encoding=encoding, newline="") as file:
        sample = file.read(65536)
    if "\0" in sample or not sample.strip():
        raise ValueError("the file is empty or not text")
    delimiter = delimiter_of(sample)

    def rows() -> Iterator[tuple[int, list[str]]]:
        with path.open(encoding=encoding, newline="") as file:
            reader = csv.reader(file, delimiter=delimiter)
            for row in reader:
                if row:
                    yield reader.line_num, row

    return delimiter, rows()


def profile(path: Path, has_header: bool) -> dict[str, object]:
    encoding = encoding_of(path)
    delimiter, rows = read_rows(path, encoding)
    start, first = next(rows)
    numbered = [f"column {n}" for n in range(1, len(first) + 1)]
    columns = [Column(name.strip()) for name in (first if has_header else numbered)]
    count = 0
    uneven: list[int] = []
    for line, row in rows if has_header else chain([(start, first)], rows):
        count += 1
        if len(row) != len(columns):
            uneven.append(line)
        for column, cell in zip(columns, row, strict=False):
            column.add(cell)
    return {
        "file": path.name,
        "encoding": encoding,
        "delimiter": delimiter,
        "rows": count,
        "rows_uneven": len(uneven),
        "uneven_lines": uneven[:20],
        "header_suspect": has_header
        and any(NUMBER.fullmatch(c.strip()) for c in first),
        "columns": [column.report() for column in columns],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--no-header", action="store_true", help="first row is data")
    options = parser.parse_args()
    try:
        report = profile(options.file, not options.no_header)
    except (OSError, ValueError, csv.Error) as err:
        print(f"profile_csv: {options.file}: {err}", file=sys.stderr)
        return 2
    print(json.dumps(report, indent=2, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
