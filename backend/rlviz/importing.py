"""The garbage collector: off while many modules are imported, on while data of any size are read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
