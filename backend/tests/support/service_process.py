"""The process of a service: a fork of one that has imported it, for importing costs more than most tests do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from multiprocessing import get_context
from pathlib import Path
from typing import Protocol

from tests.support.template import SharedWorkers

IMPORTED = ["rlviz.api.server", "rlviz.cli.main", "rlviz.services.application", "tests.support.template"]

_forks = get_context("forkserver")
_forks.set_forkserver_preload([*IMPORTED, __name__])


class ServiceProcess(Protocol):
    """What tests use of ``subprocess.Popen``."""

    @property
    def pid(self) -> int: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, number: int, /) -> None: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


def start_service(
    folder: Path, log: Path, environment: Mapping[str, str], *, script: str | None = None, shared_workers: bool = False
) -> ServiceProcess:
    """``rlviz serve`` in ``folder``, or the Python of ``script``. What it prints goes to ``log``.

    ``shared_workers``: its workers are forks of the template that all tests share.
    """
    log.write_bytes(b"")
    return _Fork(folder, log, environment, script, shared_workers)


class _Fork:
    """A process of the fork server, with the names of ``subprocess.Popen``."""

    def __init__(
        self, folder: Path, log: Path, environment: Mapping[str, str], script: str | None, shared_workers: bool
    ) -> None:
        self._process = _forks.Process(target=_serve, args=(folder, log, dict(environment), script, shared_workers))
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("rlviz serve", timeout or 0.0)
        return self._process.exitcode

    def send_signal(self, number: int, /) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _serve(folder: Path, log: Path, environment: Mapping[str, str], script: str | None, shared_workers: bool) -> None:
    """The life of the process: as if it had been started with all this."""
    from rlviz.__main__ import main
    from rlviz.launchers import process

    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if script is not None:
        exec(compile(script, "<script>", "exec"), {"__name__": "__main__"})
        return
    if shared_workers:
        process.ForkedWorkers = SharedWorkers  # type: ignore[misc]
    sys.exit(main(["serve"]))
