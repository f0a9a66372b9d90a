"""Interrupt commands with Ctrl-C at a function call, or kill them at a file change."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from inspect import CO_GENERATOR
from itertools import count
from pathlib import Path
from threading import Lock
from types import FrameType
from typing import Any

from rlviz.cli.exits import Exit
from tests.support.forked_process import ForkedProcess
from tests.support.run_folders import make_run
from tests.support.service_process import environment
from tests.support.template import SOCKET, template_address
from tests.support.waiting import PATIENCE

RUNS = ("one", "two", "three")
ROWS = 30

_SCRIPT = """
import sys
from pathlib import Path
from rlviz.__main__ import main
from tests.support.interrupting import Calls, Changes
moments = {moments}
status = main({arguments!r})
sys.setprofile(None)
Path({told!r}).write_text(str(moments.count))
sys.exit(status)
"""


class Anew:
    """Creates a new runs folder at each call, filled by ``fill``, and keeps the newest in ``path``."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._numbers = folder, count()

    def __call__(self) -> Path:
        self.path = self._folder / f"runs-{next(self._numbers)}"
        self.path.mkdir()
        self.fill()
        return self.path

    def fill(self) -> None:
        for run_id in RUNS:
            make_run(self.path, run_id, rows=ROWS, status="completed")


class Calls:
    """Counts the calls of functions of this package in this thread, and raises SIGINT at call number ``last``, or never
    if it is 0. Generators do not count: the garbage collector also calls them when it closes them, and Python
    ignores exceptions there.
    """

    def __init__(self, last: int) -> None:
        self.count, self._last = 0, last
        sys.setprofile(self._see)

    def _see(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event != "call" or not str(frame.f_globals.get("__name__")).startswith("rlviz"):
            return
        if frame.f_code.co_flags & CO_GENERATOR:
            return
        self.count += 1
        if self.count == self._last:
            sys.setprofile(None)
            signal.raise_signal(signal.SIGINT)


class Changes:
    """Counts the files that this process renames or removes and whose path contains ``name``, in all threads. The
    process is killed just before change number ``last``, or never if it is 0.
    """

    def __init__(self, last: int, name: str) -> None:
        self.count, self._last, self._name = 0, last, name
        self._lock = Lock()
        sys.addaudithook(self._see)

    def _see(self, event: str, arguments: tuple[Any, ...]) -> None:
        paths = {"os.rename": 2, "os.remove": 1, "os.rmdir": 1}.get(event, 0)
        if not any(self._name in os.fsdecode(path) for path in arguments[:paths]):
            return
        with self._lock:
            self.count += 1
            if self.count == self._last:
                os.kill(os.getpid(), signal.SIGKILL)


def interrupted(fresh: Callable[[], Path], *arguments: str, moments: int) -> Iterator[subprocess.CompletedProcess[str]]:
    """Run the command ``moments`` times, interrupted later each time, from its first step to nearly its last. Yield
    each result.

    The very first call is the command itself, before which nothing of ours can catch an interruption. ``fresh`` makes
    what is there before it anew, and returns the runs folder, in which it is run.
    """
    calls = _count(fresh(), "Calls(0)", arguments)
    assert calls > moments
    interruptions = 0
    for moment in range(moments):
        ended = _run(fresh(), f"Calls({2 + calls * moment // moments})", arguments)
        assert "Traceback" not in ended.stderr, ended.stderr
        assert ended.returncode in (Exit.INTERRUPTED, Exit.OK), ended
        interruptions += ended.returncode == Exit.INTERRUPTED
        yield ended
    assert interruptions > moments // 2, "few came too late"


def killed(fresh: Callable[[], Path], *arguments: str, name: str, **settings: str) -> Iterator[int]:
    """Run the command once for each file that it renames or removes whose path contains ``name``, killed just before
    the first of these changes, the second, and so on. Yield their numbers from 1. ``fresh`` is as in
    ``interrupted``. With several threads, the number of changes may differ by one from the counted number.
    """
    changes = _count(fresh(), f"Changes(0, {name!r})", arguments, **settings)
    assert changes
    for number in range(1, changes + 1):
        ended = _run(fresh(), f"Changes({number}, {name!r})", arguments, **settings)
        if ended.returncode == Exit.OK:
            assert number > changes // 2, ended
            return
        assert ended.returncode == -signal.SIGKILL, ended
        yield number


def _count(runs_dir: Path, moments: str, arguments: tuple[str, ...], **settings: str) -> int:
    """Return the number of moments in an uninterrupted run of the command."""
    whole = _run(runs_dir, moments, arguments, **settings)
    assert whole.returncode == Exit.OK, whole.stderr
    return int(_told(runs_dir).read_text())


def _run(runs_dir: Path, moments: str, arguments: tuple[str, ...], **settings: str) -> subprocess.CompletedProcess[str]:
    given = environment(runs_dir=str(runs_dir), **settings) | {SOCKET: template_address()}
    script = _SCRIPT.format(moments=moments, told=str(_told(runs_dir)), arguments=list(arguments))
    command = ForkedProcess(runs_dir, given, script=script, shared_workers=True)
    try:
        out, err = command.communicate(PATIENCE)
    finally:
        command.kill()
    return subprocess.CompletedProcess(arguments, command.wait(), out, err)


def _told(runs_dir: Path) -> Path:
    return runs_dir.with_name(f"{runs_dir.name}-moments.txt")
