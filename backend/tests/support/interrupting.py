"""Ctrl-C in the middle of a command: as it does its first step, one in its middle, its last."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from rlviz.cli.exits import Exit
from tests.support.forked_process import ForkedProcess
from tests.support.http import PATIENCE, environment
from tests.support.template import SOCKET, template_address

_SCRIPT = """
import sys
from pathlib import Path
from rlviz.__main__ import main
from tests.support.interrupting import CallCounter
calls = CallCounter({after})
status = main({arguments!r})
sys.setprofile(None)
Path({told!r}).write_text(str(calls.count))
sys.exit(status)
"""


class CallCounter:
    """Counts the calls of the product's own functions in this thread, and presses Ctrl-C as number ``last`` begins; 0:
    never."""

    def __init__(self, last: int) -> None:
        self.count, self._last = 0, last
        sys.setprofile(self._see)

    def _see(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event != "call" or not str(frame.f_globals.get("__name__")).startswith("rlviz"):
            return
        self.count += 1
        if self.count == self._last:
            sys.setprofile(None)
            signal.raise_signal(signal.SIGINT)


def interrupted(fresh: Callable[[], Path], *arguments: str, moments: int) -> Iterator[subprocess.CompletedProcess[str]]:
    """Run the command that often, interrupted ever later, from its first step to nearly its last; yields how each did.

    The very first call is the command itself, before which nothing of ours can catch an interruption. ``fresh`` makes
    what is there before it anew, and returns the runs folder.
    """
    runs_dir = fresh()
    told = runs_dir / "calls.txt"
    whole = _run(runs_dir, 0, arguments)
    assert whole.returncode == Exit.OK, whole.stderr
    calls = int(told.read_text())
    assert calls > moments
    interruptions = 0
    for moment in range(moments):
        ended = _run(fresh(), 2 + calls * moment // moments, arguments)
        assert "Traceback" not in ended.stderr, ended.stderr
        assert ended.returncode in (Exit.INTERRUPTED, Exit.OK), ended
        interruptions += ended.returncode == Exit.INTERRUPTED
        yield ended
    assert interruptions > moments // 2, "few came too late"


def _run(runs_dir: Path, after: int, arguments: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    given = environment(runs_dir=str(runs_dir)) | {SOCKET: template_address()}
    script = _SCRIPT.format(after=after, told=str(runs_dir / "calls.txt"), arguments=list(arguments))
    command = ForkedProcess(runs_dir, given, script=script, shared_workers=True)
    try:
        out, err = command.communicate(PATIENCE)
    finally:
        command.kill()
    return subprocess.CompletedProcess(arguments, command.wait(), out, err)
