"""A training thread and the watcher that makes it interruptible."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from rlviz.domain.disk_full import is_disk_full
from rlviz.domain.errors import RunFolderError
from rlviz.domain.run_actor import RunActor
from rlviz.rundir.control import read_control
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.lock import training_lock
from rlviz.training.attempt import Attempt, begin_attempt
from rlviz.training.error_messages import where
from rlviz.training.guard import Guard
from rlviz.training.random_player import RandomPlayer
from rlviz.training.trainer import Trainer

WATCH_SECONDS = 0.05


class ControlWatcher:
    """Carries what ``control.json`` and the clock ask for to the trainer."""

    def __init__(self, path: Path, trainer: Trainer) -> None:
        self._path, self._trainer = path, trainer
        self._guard = Guard(trainer.warn)
        self._seen: tuple[int, int] | None = None

    def tick(self) -> None:
        """What the disk refuses now (it is full, or a share is away) is tried again at the next tick."""
        with self._guard("Watching the clock"), suppress(OSError):
            self._trainer.tick()
        with self._guard("Reading control.json"), suppress(OSError, RunFolderError):
            self._read_control()

    def _read_control(self) -> None:
        status = os.stat(self._path)  # noqa: PTH116  (twenty times a second: no Path built for it)
        version = (status.st_mtime_ns, status.st_ino)
        if version == self._seen:
            return
        self._trainer.hear(read_control(self._path))
        self._seen = version


def train_run(folder: RunFolder, stop: Event | None = None, *, worker: str | None = None) -> bool:
    """Train the run in ``folder`` in a thread of its own, watching over it until it has ended.

    Ends early when ``control.json`` says so or ``stop`` is set, whichever is first; a request that was
    there before training began counts. ``worker`` is the identity that the journal names.

    Returns whether training ended without an error; the error itself is in the journal. Raises OSError if
    a full disk ended it; RunIsActive if somebody trains in this folder already; and
    IllegalTransition if the attempt that is wanted has ended: its worker was believed gone, and begins only now.
    """
    with training_lock(folder) as lock:
        return _train(folder, begin_attempt(folder), stop, worker, lock)


def _train(folder: RunFolder, attempt: Attempt, stop: Event | None, worker: str | None, lock: int) -> bool:
    trainer = _trainer_of(folder)(folder, attempt, worker)
    watcher = ControlWatcher(folder.control_path, trainer)
    failures: list[BaseException] = []

    def run() -> None:
        try:
            trainer.run()
        except BaseException as error:  # it is in the journal, unless that is what failed: then worker.log has it
            failures.append(error)
            traceback.print_exc(file=sys.stderr)

    thread = Thread(target=run, name=f"train-{folder.run_id}", daemon=True)
    watcher.tick()
    thread.start()
    was_logged = False
    while thread.is_alive():
        if stop is not None and stop.is_set() and not was_logged:
            was_logged = True
            _terminated(trainer, thread)
        if not was_logged and _is_deleted(folder, lock):
            was_logged = True
            print("The run folder was deleted while training went on: training ends.", file=sys.stderr, flush=True)
            trainer.stop()
        watcher.tick()
        thread.join(WATCH_SECONDS)
    if failures and is_disk_full(failures[0]):
        raise failures[0]
    return not failures


def _is_deleted(folder: RunFolder, lock: int) -> bool:
    """Whether somebody has removed ``folder``, and with it the file that is open as ``lock``. A share that is away for
    a while does not look so, and who removes files alone leaves the folder."""
    with suppress(OSError):
        return os.fstat(lock).st_nlink == 0 and not folder.path.exists()
    return False


def _trainer_of(folder: RunFolder) -> type[Trainer]:
    with suppress(RunFolderError):  # the trainer says in the journal what is wrong with it
        if folder.read_config().actor is RunActor.RANDOM:
            return RandomPlayer
    return Trainer


def _terminated(trainer: Trainer, thread: Thread) -> None:
    """Stop; if a stop was requested before, log where training hangs. Training that is about to pause pauses now."""
    if trainer.is_pausing and not trainer.is_stopping:
        trainer.pause(within=0.0)
        return
    if trainer.is_stopping and (stack := where(thread.ident)):
        print("Terminated while training was here:\n" + "".join(stack), file=sys.stderr, flush=True)
        with suppress(OSError):
            trainer.warn(f"Training was asked to stop and did not; it hangs here: {' '.join(stack[-1].split())}")
    trainer.stop()
