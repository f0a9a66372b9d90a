"""The worker process: trains a run, plays an evaluation, films clips, or plays a live session, and ends.

    python -m rlviz.worker RUN_FOLDER                    train the run
    python -m rlviz.worker RUN_FOLDER --evaluate ID      play the evaluation
    python -m rlviz.worker RUN_FOLDER --verify ID        play it again and compare it with its step records
    python -m rlviz.worker RUN_FOLDER --verify ID --film        the same, and film it
    python -m rlviz.worker RUN_FOLDER --verify-snapshot NAME    restore the snapshot and compare
    python -m rlviz.worker RUN_FOLDER --clips            film the requested clips of the run
    python -m rlviz.worker FOLDER --session              play the session in this folder
    python -m rlviz.worker --template                    import everything, then fork a worker for each job
    python -m rlviz.worker --prewarm                     import everything, then read a job's arguments from stdin

A worker never opens the catalogue; it only uses the folder. Only the worker of a session talks to the service.
"""

from __future__ import annotations

import os

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import argparse
import io
import json
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from types import FrameType

from rlviz.domain.disk_full import is_disk_full
from rlviz.domain.errors import Conflict
from rlviz.domain.plain_text import typed_text
from rlviz.importing import without_collection
from rlviz.launchers.base import (
    EXIT_DISK_FULL,
    EXIT_FAILED,
    EXIT_OK,
    EXIT_REFUSED,
    Evaluate,
    MakeClips,
    Train,
    Verify,
    VerifySnapshot,
    WorkFolder,
)
from rlviz.learning.sessions.folder import SessionFolder
from rlviz.machine import DEFAULT_NICENESS, kill_children, lower_priority
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.process_identity import ProcessIdentity

Work = Train | Evaluate | Verify | VerifySnapshot | MakeClips
"""Jobs that work on a run folder."""

MAX_LOG_BYTES = 16_000_000
LOG_SECONDS = 0.2


def main() -> int:
    parser = _parser()
    options = parser.parse_args()
    if options.template or options.prewarm:
        from setproctitle import setproctitle

        with suppress(Exception):  # it fails again in the job, which has a log
            _import_everything()
        arguments = _forked() if options.template else _wait_for_arguments()
        if arguments is None:
            return EXIT_OK
        setproctitle(" ".join(["python", "-m", "rlviz.worker", *map(typed_text, arguments)]))
        options = parser.parse_args(arguments)
        try:
            _log_to(_work_folder(options))
        except FileNotFoundError:  # the session was ended, or the run deleted, before this worker started
            return EXIT_REFUSED
    lower_priority(options.niceness)  # only now: a user who presses Start waits for the template's imports
    if options.folder is None:
        parser.error("name the run folder")
    if options.session:
        return _play(SessionFolder(options.folder))
    try:
        return work(RunFolder.at(options.folder), _job(options), options.identity or str(ProcessIdentity.current()))
    finally:
        kill_children()


def _job(options: argparse.Namespace) -> Work:
    if options.evaluate is not None:
        return Evaluate(options.evaluate)
    if options.verify is not None:
        return Verify(options.verify, options.film)
    if options.verify_snapshot is not None:
        return VerifySnapshot(options.verify_snapshot)
    return MakeClips() if options.clips else Train()


def _work_folder(options: argparse.Namespace) -> WorkFolder:
    return SessionFolder(options.folder) if options.session else RunFolder.at(options.folder)


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments that ``launchers/base.py`` writes."""
    parser = argparse.ArgumentParser(prog="python -m rlviz.worker", description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--evaluate", metavar="ID")
    parser.add_argument("--verify", metavar="ID")
    parser.add_argument("--film", action="store_true")
    parser.add_argument("--verify-snapshot", metavar="NAME")
    parser.add_argument("--session", action="store_true")
    parser.add_argument("--clips", action="store_true")
    parser.add_argument("--niceness", type=int, default=DEFAULT_NICENESS, metavar="N")
    parser.add_argument("--identity", metavar="TEXT", help="how the launcher finds this worker; default: its process")
    parser.add_argument("--template", action="store_true")
    parser.add_argument("--prewarm", action="store_true")
    return parser


def work(folder: RunFolder, job: Work, identity: str) -> int:
    """Do ``job`` in ``folder`` as the worker ``identity``. Returns the exit status."""
    try:
        match job:
            case Train():
                return _train(folder, identity)
            case Evaluate(evaluation_id):
                return _evaluate(folder, evaluation_id)
            case Verify(evaluation_id, film):
                return _verify(folder, evaluation_id, film=film)
            case VerifySnapshot(name):
                return _verify_snapshot(folder, name)
            case MakeClips():
                return _make_clips(folder)
    except OSError as error:
        if not is_disk_full(error):
            raise
        return EXIT_DISK_FULL


def _train(folder: RunFolder, identity: str) -> int:
    with without_collection():
        from rlviz.learning.training.watched import train_run

    stop = Event()

    def on_terminate(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, on_terminate)
    Thread(target=_bound_log, args=(folder.log_path,), name="log-limit", daemon=True).start()
    try:
        return EXIT_OK if train_run(folder, stop, worker=identity) else EXIT_FAILED
    except Conflict as error:
        print(error, file=sys.stderr)
        return EXIT_REFUSED


def _bound_log(path: Path) -> None:
    """Limit the size of the log, because an environment may print without end."""
    while True:
        time.sleep(LOG_SECONDS)
        with suppress(OSError):
            if path.stat().st_size > MAX_LOG_BYTES:
                break
    os.write(2, b"\nThis file has reached its size limit. Further output is dropped.\n")
    with Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)


def _evaluate(folder: RunFolder, evaluation_id: str) -> int:
    with without_collection():
        from rlviz.domain.evaluation import EvaluationStatus
        from rlviz.learning.playing.evaluate import evaluate

    record = evaluate(folder, evaluation_id)
    return EXIT_OK if record.status is EvaluationStatus.COMPLETED else EXIT_FAILED


def _play(folder: SessionFolder) -> int:
    with without_collection():
        from rlviz.learning.sessions.worker import play_session

    Thread(target=_bound_log, args=(folder.log_path,), name="log-limit", daemon=True).start()
    play_session(folder)
    return EXIT_FAILED


def _verify(folder: RunFolder, evaluation_id: str, *, film: bool) -> int:
    with without_collection():
        from rlviz.domain.evaluation import VerificationStatus
        from rlviz.learning.playing.film import verify

    return EXIT_OK if verify(folder, evaluation_id, film=film).status is VerificationStatus.COMPLETED else EXIT_FAILED


def _verify_snapshot(folder: RunFolder, name: str) -> int:
    with without_collection():
        from rlviz.domain.evaluation import VerificationStatus
        from rlviz.learning.training.snapshot.verify import verify_snapshot

    return EXIT_OK if verify_snapshot(folder, name).status is VerificationStatus.COMPLETED else EXIT_FAILED


def _make_clips(folder: RunFolder) -> int:
    with without_collection():
        from rlviz.learning.playing.clips import make_clips

    make_clips(folder)
    return EXIT_OK


def _import_everything() -> None:
    with without_collection():
        import rlviz.learning.playing.clips
        import rlviz.learning.sessions.worker
        import rlviz.learning.training.watched  # noqa: F401
        from rlviz.domain.lazy_model import build_all
        from rlviz.learning.sessions.packets import WORKER_MESSAGE
        from rlviz.learning.warmup import warm_up_evaluation as warm_up_filming
        from rlviz.learning.warmup import warm_up_training as warm_up_training

        warm_up_training()
        warm_up_filming()
        build_all()
        WORKER_MESSAGE.rebuild()


def _wait_for_arguments() -> list[str] | None:
    """Return the arguments that arrive on standard input, or None if the service ends first."""
    line = sys.stdin.buffer.readline()
    return list(json.loads(line)) if line else None


def _forked() -> list[str] | None:
    """Return the job's arguments in a forked worker, or None in the template process after the service has ended."""
    from rlviz.launchers.process import fork_workers

    return fork_workers(socket.socket(fileno=os.dup(sys.stdin.fileno())))


def _log_to(folder: WorkFolder) -> None:
    """Redirect standard output and error to the folder's log, and ignore standard input."""
    with folder.open_log() as log, Path(os.devnull).open("rb") as nothing:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        os.dup2(nothing.fileno(), 0)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # an environment may print characters that the encoding lacks
            with suppress(OSError):  # the stream cannot be flushed
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # everything is on disk; torch's teardown would only cost time
