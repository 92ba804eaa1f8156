"""Replace a file as a whole or not at all."""

import os
import stat
from pathlib import Path

from skillforge.errors import ToolError


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file's content atomically; its mode stays."""
    import tempfile  # slow to import; most commands do not write files

    temporary: Path | None = None
    try:
        mode = path.stat().st_mode if path.exists() else 0o644
        # mkstemp: a new file with a random name, so no one can have put a link there.
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        temporary.write_bytes(data)
        temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(path)
    except OSError as err:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise ToolError(f"cannot write {path}: {err.strerror}") from err
