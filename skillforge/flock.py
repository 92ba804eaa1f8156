"""Lock an open file; the lock ends when the last process closes the file."""

import time


def lock(handle: int, seconds: float) -> bool:
    """Lock a file exclusively; False if another process holds the lock too long."""
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
        pause = min(pause * 1.5, 0.1)  # many processes may wait
