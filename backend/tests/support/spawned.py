"""Worker processes that start at once, as forks of the template that all tests share. Importing torch in a separate
process takes longer than most tests.
"""

from __future__ import annotations

import json
import subprocess
from functools import cache
from io import BytesIO
from typing import Self

import pytest

from rlviz.launchers import process
from rlviz.launchers import process as prewarmed
from rlviz.launchers.base import Worker
from tests.support.template import SharedWorkers
from tests.support.workers import pid_of


def spawn_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make launchers spawn forks from now on."""
    for module in (process, prewarmed):
        monkeypatch.setattr(module, "spawn", _spawn)


class Spawned:
    """A worker with the part of ``subprocess.Popen`` that launchers use. ``arguments`` is None if it waits for its job
    on standard input.
    """

    def __init__(self, arguments: list[str] | None) -> None:
        self.stdin = _Input(self)
        self._worker: Worker | None = None
        if arguments is not None:
            self.begin(arguments)

    def begin(self, arguments: list[str]) -> None:
        self._worker = _template().start(arguments)
        assert self._worker is not None, "the template forks"

    @property
    def pid(self) -> int:
        assert self._worker is not None, "it waits for its job"
        return pid_of(self._worker.identity)

    def poll(self) -> int | None:
        ended = None if self._worker is None else self._worker.poll()
        return None if ended is None else ended.code

    def terminate(self) -> None:
        if self._worker is not None:
            self._worker.terminate()

    def kill(self) -> None:
        if self._worker is not None:
            self._worker.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        pass


class _Input(BytesIO):
    def __init__(self, process: Spawned) -> None:
        super().__init__()
        self._process = process

    def close(self) -> None:
        if not self.closed and self.getvalue():
            self._process.begin(json.loads(self.getvalue()))
        super().close()


@cache
def _template() -> SharedWorkers:
    return SharedWorkers()


def _spawn(arguments: list[str], *, stdin: int, output: int) -> Spawned:
    """Spawn like ``process_worker.spawn``; workers find their log themselves."""
    return Spawned(None if stdin == subprocess.PIPE else arguments)
