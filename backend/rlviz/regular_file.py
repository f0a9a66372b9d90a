"""Read and replace files that a user names: only regular files of limited size, since a device or a pipe may never
end."""

from __future__ import annotations

import os
import secrets
import stat
from io import BufferedReader
from pathlib import Path


class NotRegular(OSError):
    """``strerror`` says what it is instead of a regular file, or that it is too long."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(0, problem, str(path))


def open_regular(path: Path) -> BufferedReader:
    """Open the regular file at ``path``, or the one that it links to, for reading. Does not wait for the writer of a
    pipe. Raises NotRegular or OSError."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    file = os.open(path, flags)
    mode = os.fstat(file).st_mode
    if not stat.S_ISREG(mode):
        os.close(file)
        what = "a folder" if stat.S_ISDIR(mode) else "a pipe, a socket or a device"
        raise NotRegular(path, f"it is {what}, not a regular file")
    return os.fdopen(file, "rb")


def check_regular(path: Path) -> None:
    """Raise NotRegular unless ``path`` is a regular file or a link to one. Raises OSError."""
    open_regular(path).close()


def read_regular(path: Path, most_bytes: int) -> bytes:
    """Return the content of a regular file. Raises NotRegular, also above ``most_bytes``, or OSError."""
    with open_regular(path) as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise NotRegular(path, f"it has more than {most_bytes:,} bytes")
    return content


def replace_regular(path: Path, content: bytes) -> None:
    """Replace a file, or the one that it links to, in one step: readers see the old or the new content.

    Raises OSError, and leaves the old file as it is.
    """
    path = path.resolve()
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if path.exists():
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
