"""The files that ship inside the package: schemas and templates."""

import json
from functools import cache
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).parent


def schema_path(name: str) -> Path:
    """The path of a schema, in an installed package or in a source checkout."""
    shipped = _PACKAGE / "schemas" / name
    return shipped if shipped.exists() else _PACKAGE.parent / "schemas" / name


@cache
def schema(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(schema_path(name).read_bytes())
    return loaded


def template(name: str) -> str:
    return (_PACKAGE / "templates" / name).read_text(encoding="utf-8")


def github_files() -> dict[str, str]:
    """The files in `.github/` of a library: our own workflows and forms."""
    shipped = _PACKAGE / "templates" / "github"
    top = shipped if shipped.exists() else _PACKAGE.parent / ".github"
    chosen = ("workflows/skill-*.yml", "ISSUE_TEMPLATE/*.yml", "*.md")
    paths = [path for pattern in chosen for path in sorted(top.glob(pattern))]
    return {
        f".github/{path.relative_to(top).as_posix()}": path.read_text(encoding="utf-8")
        for path in paths
    }


def demo_files() -> dict[str, bytes]:
    """The demo's transcripts and drafts, and programs that act as agents."""
    top = _PACKAGE / "templates" / "demo"
    paths = sorted(path for path in top.rglob("*") if path.is_file())
    return {path.relative_to(top).as_posix(): path.read_bytes() for path in paths}
