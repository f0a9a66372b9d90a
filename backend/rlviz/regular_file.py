"""Read and replace files that a user names: only regular files of limited size, since a device or a pipe may never
end."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
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


def replace_regular(path: Path, content: bytes, *, keep: Iterable[Path] = ()) -> None:
    """Replace a file, or the one that it links to, in one step: readers see the old or the new content.

    Args:
        keep: Names in the folder of the file. The old file gets the first one that is free. It is not read.

    Raises OSError, and leaves the old file as it is.
    """
    path = resolve_file(path)
    with _temporary_beside(path, content) as temporary:
        with suppress(FileNotFoundError):
            # the owner can read the new file even if the old one could not be read
            temporary.chmod(stat.S_IMODE(path.stat().st_mode) | stat.S_IRUSR | stat.S_IWUSR)
            if names := list(keep):
                _give_free_name(path, names)
        temporary.replace(path)


def create_regular(names: Iterable[Path], content: bytes) -> Path:
    """Create a file with the first of ``names`` that is free, in one step, and return its path.

    Raises FileExistsError if none is free, or OSError.
    """
    names = list(names)
    with _temporary_beside(names[0], content) as temporary:
        return _give_free_name(temporary, names)


def resolve_file(path: Path) -> Path:
    """Return the path of the file that ``path`` is or links to. Raises OSError if links lead back to themselves, or if
    the name cannot be one of a file."""
    try:
        return path.resolve()
    except RuntimeError as error:  # until Python 3.12
        raise OSError(errno.ELOOP, "its links lead back to themselves", str(path)) from error
    except ValueError as error:
        raise OSError(errno.EINVAL, "it has characters that names of files cannot have", str(path)) from error


@contextmanager
def _temporary_beside(path: Path, content: bytes) -> Iterator[Path]:
    """Write a file in the folder of ``path``, and remove it at the end, if it still has its name."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _give_free_name(file: Path, names: Iterable[Path]) -> Path:
    """Link ``file`` to the first name that is free. A link with that name is not followed: the name is taken.

    Without hard links, ``file`` is renamed. Raises FileExistsError if no name is free, or OSError.
    """
    for name in names:
        try:
            os.link(file, name)
        except FileExistsError:
            continue
        except OSError:  # a file system without hard links, or a file of another user
            try:
                os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            except FileExistsError:
                continue
            try:
                file.replace(name)
            except BaseException:
                name.unlink(missing_ok=True)
                raise
        return name
    raise FileExistsError(errno.EEXIST, "all names are taken", str(file))
