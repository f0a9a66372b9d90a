"""Control imports: garbage collection while importing, and processes that import nothing from the working folder."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def without_collection() -> Iterator[None]:
    """Disable garbage collection while the block imports modules, and exempt its objects from later collections.

    Imported objects live forever. Scanning them again and again took a sixth of the service's start and a fifth of a
    worker's.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def module_command(module: str) -> list[str]:
    """Return the command that runs a module of this program. ``-P`` keeps a file in the working folder, such as
    ``numpy.py``, from replacing the module of that name."""
    return [sys.executable, "-P", "-m", module]


@contextmanager
def safe_path_in_children() -> Iterator[None]:
    """Set the equivalent of ``-P`` for processes that ``multiprocessing`` starts within the block."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def leave_working_folder(package: str) -> None:
    """Remove the working folder, which ``python -m`` puts first, from the import path, unless it contains
    ``package``."""
    first = sys.path[0] if sys.path else ""
    if Path(first or ".").resolve() == Path.cwd() and not Path(package).is_dir():
        del sys.path[0]


@contextmanager
def with_collection() -> Iterator[None]:
    """Enable garbage collection within the block, also inside ``without_collection``, for work on large data."""
    was_enabled = gc.isenabled()
    gc.enable()
    try:
        yield
    finally:
        if not was_enabled:
            gc.disable()
