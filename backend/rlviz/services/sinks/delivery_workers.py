"""Delivery workers: the processes that deliver runs to sinks."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from rlviz.child_environment import child_environment
from rlviz.domain.sinks import SinkKind
from rlviz.importing import module_command
from rlviz.rundir.folder import RunFolder

DELIVERED, FAILED, BUSY = 0, 1, 4
"""Exit statuses of a delivery worker; BUSY: another process delivers just that."""

LOOK_SECONDS = 0.3


def start_delivery_worker(folder: RunFolder, kind: SinkKind, *, follow: bool = False) -> subprocess.Popen[bytes]:
    """The process that delivers a run to a sink; what goes wrong is in the sink's record, and on standard error.

    ``follow``: it goes on until a line is written to its standard input. Raises OSError.
    """
    return subprocess.Popen(
        [
            *module_command("rlviz.delivery_worker"),
            str(folder.path),
            kind.value,
            *(["--follow"] if follow else []),
        ],
        stdin=subprocess.PIPE if follow else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL if follow else subprocess.PIPE,
        env=_environment(),
    )


def _environment() -> dict[str, str]:
    """Without the helper process of W&B that this process may have: what hangs there would outlast ours."""
    variables = child_environment(OMP_NUM_THREADS="1")
    variables.pop("WANDB_SERVICE", None)
    return variables


def deliver_now(folder: RunFolder, kind: SinkKind, look: Callable[[], object]) -> tuple[int, str]:
    """Deliver a run to a sink; the worker's exit status and what it said. An interruption ends the worker too, and what
    it did not deliver waits for the next one. Meanwhile ``look`` is called now and then. Raises OSError."""
    worker = start_delivery_worker(folder, kind)
    try:
        while True:
            try:
                _, said = worker.communicate(timeout=LOOK_SECONDS)
                break
            except subprocess.TimeoutExpired:
                look()
    except BaseException:
        worker.terminate()
        raise
    finally:
        worker.wait()
    return worker.returncode, said.decode(errors="replace").strip()


@contextmanager
def following(folder: RunFolder, kind: SinkKind) -> Iterator[None]:
    """While the block runs, a worker delivers what the run gains; when it is left, the rest. If it raises, what was not
    delivered waits for the next worker. Raises OSError."""
    worker = start_delivery_worker(folder, kind, follow=True)
    assert worker.stdin is not None
    try:
        yield
        with suppress(OSError):  # it has given up before
            worker.stdin.write(b"\n")
            worker.stdin.flush()
    finally:
        with suppress(OSError):
            worker.stdin.close()
        worker.wait()
