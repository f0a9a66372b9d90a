"""The delivery worker: a process that delivers one run to one sink.

    python -m rlviz.delivery_worker RUN_FOLDER SINK [--follow] [--patience SECONDS]

It delivers the current data and exits. With ``--follow`` it continues until it reads a line from standard input, then
delivers the rest and the run's result. It exits at once when standard input closes without a line, as when the service
ends. If it is killed, nothing is lost: the sink's record says how much of the journal was delivered. Only this process
imports the packages of sinks.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rlviz.domain.errors import RlvizError, SinkProblem
from rlviz.domain.sinks import SinkKind
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.sinks import delivery_lock
from rlviz.server.exchange.deliveries import BUSY, DELIVERED, FAILED
from rlviz.server.exchange.delivery import Delivery

PATIENCE_SECONDS = 180.0
"""Seconds to wait for a sink before the process exits, because the sink's package may hang."""

LOOK_SECONDS = 2.0
"""Seconds between checks of a training run's journal."""

LOWEST_PRIORITY = 19


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="rlviz.delivery_worker")
    parser.add_argument("folder", type=Path)
    parser.add_argument("kind", type=SinkKind)
    parser.add_argument("--follow", action="store_true")
    parser.add_argument("--patience", type=float, default=PATIENCE_SECONDS)
    given = parser.parse_args(arguments)
    if hasattr(os, "nice"):
        os.nice(LOWEST_PRIORITY if given.follow else 0)
    folder = RunFolder.at(given.folder)
    try:
        with delivery_lock(folder, given.kind) as alone:
            return deliver(folder, given.kind, follow=given.follow, patience=given.patience) if alone else BUSY
    except (OSError, RlvizError) as error:
        print(error, file=sys.stderr)
        return FAILED


def deliver(folder: RunFolder, kind: SinkKind, *, follow: bool, patience: float) -> int:
    watchdog = DeliveryWatchdog(patience)
    delivery = Delivery(folder, kind, within=watchdog.watching, answered=watchdog.restart)
    watchdog.start(lambda: delivery.fail(f"{kind.label} did not answer within {patience:g} seconds."))
    ended = threading.Event()
    if follow:
        threading.Thread(target=_listen, args=(ended,), name="listening", daemon=True).start()
    try:
        delivery.run(lambda: follow and not ended.wait(LOOK_SECONDS))
    except SinkProblem as problem:
        print(problem, file=sys.stderr)
        return FAILED
    return DELIVERED


class DeliveryWatchdog:
    """Exits the process when a block takes too long, since a thread that hangs in a package cannot be ended.

    A block calls ``restart`` when it makes progress.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._changed = threading.Condition()
        self._blocks = 0
        self._is_within = False

    def start(self, on_late: Callable[[], object]) -> None:
        threading.Thread(target=self._watch, args=(on_late,), name="watchdog", daemon=True).start()

    @contextmanager
    def watching(self) -> Iterator[None]:
        self._set(True)
        try:
            yield
        finally:
            self._set(False)

    def restart(self) -> None:
        self._set(self._is_within)

    def _set(self, is_within: bool) -> None:
        with self._changed:
            self._blocks += 1
            self._is_within = is_within
            self._changed.notify_all()

    def _watch(self, on_late: Callable[[], object]) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._is_within)
                is_late = self._stays(self._blocks)
            if is_late:
                with suppress(Exception):
                    on_late()
                os._exit(FAILED)

    def _stays(self, block: int) -> bool:
        return not self._changed.wait_for(lambda: self._blocks != block, self._seconds)


def _listen(ended: threading.Event) -> None:
    if sys.stdin.buffer.readline():
        ended.set()
    else:
        os._exit(FAILED)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
