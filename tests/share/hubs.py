"""Small hubs and archives, and correct and faulty servers on loopback."""

import gzip
import hashlib
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import (
    BaseHTTPRequestHandler,
    SimpleHTTPRequestHandler,
    ThreadingHTTPServer,
)
from pathlib import Path
from typing import Any

from tests.conftest import skill_md

SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
WELL_KNOWN = ".well-known/agent-skills"


def files_of(
    name: str, body: str = "# Title\n\nDo this, then that.\n"
) -> dict[str, bytes]:
    """A skill with a file beside its SKILL.md."""
    text = skill_md(name, body=f"{body}\nSee [the guide](references/guide.md).\n")
    return {"SKILL.md": text.encode(), "references/guide.md": b"# Guide\n"}


def tar_gz(files: Mapping[str, bytes], *odd: tarfile.TarInfo) -> bytes:
    """An archive with files at its root; `odd` members come last."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for path, data in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(data)
            info.mode = 0o755 if path.startswith("scripts/") else 0o644
            tar.addfile(info, io.BytesIO(data))
        for info in odd:
            tar.addfile(info, io.BytesIO(b"x" * info.size))
    return gzip.compress(out.getvalue(), mtime=0)


def zipped(files: Mapping[str, bytes], *odd: tuple[zipfile.ZipInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
        for info, data in odd:
            archive.writestr(info, data)
    return out.getvalue()


def sha(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def entry(name: str, data: bytes, **more: Any) -> dict[str, Any]:
    """One row of an index; `more` replaces what would be right."""
    row = {
        "name": name,
        "type": "archive",
        "description": "Reads tables.",
        "url": f"{name}.tar.gz",
        "digest": sha(data),
    }
    return row | more


def write_index(folder: Path, rows: list[dict[str, Any]], **more: Any) -> None:
    place = folder / WELL_KNOWN
    place.mkdir(parents=True, exist_ok=True)
    index = {"$schema": SCHEMA, "skills": rows} | more
    (place / "index.json").write_text(json.dumps(index))


def write_hub(folder: Path, *skills: Mapping[str, bytes] | str) -> Path:
    """A hub of skills, each a name or its files."""
    rows = []
    for skill in skills:
        files = files_of(skill) if isinstance(skill, str) else dict(skill)
        name = files["SKILL.md"].split(b"name: ")[1].split(b"\n")[0].decode()
        data = tar_gz(files)
        (folder / WELL_KNOWN).mkdir(parents=True, exist_ok=True)
        (folder / WELL_KNOWN / f"{name}.tar.gz").write_bytes(data)
        rows.append(entry(name, data))
    write_index(folder, rows)
    return folder


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """A folder on loopback."""
    with _running(partial(_Quiet, directory=str(folder))) as url:
        yield url


@contextmanager
def answering(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    """A server with one answer to every request."""

    class Handler(_Quiet):
        def do_GET(self) -> None:
            answer(self)

    with _running(Handler) as url:
        yield url


@contextmanager
def _running(handler: Any) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
