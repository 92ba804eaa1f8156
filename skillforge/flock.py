"""Wait for a lock on an open file; the lock ends with whoever has the file open."""

import time


def lock(handle: int, seconds: float) -> bool:
    """Lock an open file for this process alone; False if another one keeps it."""
    import fcntl

    deadline = time.monotonic() + seconds
    pause = 0.002
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() > deadline:
                return False
        else:
            return True
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)  # many may wait, and not all at once
