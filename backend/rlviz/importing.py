"""Imports: of many modules at once, and in processes that import nothing from the folder they are started in; and the
garbage collector, off while many modules are imported, on while data of any size are read."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def without_collection() -> Iterator[None]:
    """Look for no garbage while the block imports modules, and never again in what it leaves behind.

    What an import makes stays, and looking through it again and again took a sixth of the start of the service, and a
    fifth of a worker's.
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
    """The command that runs a module of this program. With ``-P`` a file of the working folder, ``numpy.py`` for
    instance, is not imported in the place of the module that it is called after."""
    return [sys.executable, "-P", "-m", module]


@contextmanager
def safe_path_in_children() -> Iterator[None]:
    """The same for the processes that ``multiprocessing`` starts while the block runs."""
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
    """Import nothing more from the working folder, which ``python -m`` puts first, unless ``package`` itself lies
    there."""
    first = sys.path[0] if sys.path else ""
    if Path(first or ".").resolve() == Path.cwd() and not Path(package).is_dir():
        del sys.path[0]


@contextmanager
def with_collection() -> Iterator[None]:
    """Collect garbage while the block runs, also within ``without_collection``: for work on data of any size."""
    was_enabled = gc.isenabled()
    gc.enable()
    try:
        yield
    finally:
        if not was_enabled:
            gc.disable()
