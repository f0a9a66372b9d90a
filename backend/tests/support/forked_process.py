"""Processes of this program, forked from one that has imported it, because imports take longer than most tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TextIO

from tests.support.template import SharedWorkers

FORKED_FIRST = "TESTS_FORKED_FIRST"
"""Environment variable: where it is set, the first worker of a command's own service is such a fork, too, as are those
after it, and not a process that begins to import as the command does."""

_forks = get_context("forkserver")
_forks.set_forkserver_preload([__name__, "tests.support.preloaded"])


class ForkedProcess:
    """``rlviz`` with ``arguments`` in ``folder``, or the Python code of ``script``, with the interface of
    ``subprocess.Popen``.

    ``log``: the file that takes what it prints. Without one, that comes from ``stdout`` and ``stderr``.
    ``shared_workers``: its workers are forks of the template that all tests share.
    """

    stdout: TextIO
    stderr: TextIO

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str],
        arguments: Sequence[str] = (),
        *,
        log: Path | None = None,
        script: str | None = None,
        shared_workers: bool = False,
    ) -> None:
        output: Path | tuple[Connection, Connection]
        if log is not None:
            log.write_bytes(b"")
            output = log
        else:
            pipes = _forks.Pipe(duplex=False), _forks.Pipe(duplex=False)
            output = pipes[0][1], pipes[1][1]
            self.stdout, self.stderr = (os.fdopen(os.dup(reader.fileno()), errors="replace") for reader, _ in pipes)
        life = (folder, dict(environment), list(arguments), output, script, shared_workers)
        self._process = _forks.Process(target=_live, args=life)
        self._process.start()
        if log is None:
            for reader, writer in pipes:
                reader.close()
                writer.close()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout or 0.0)
        return self._process.exitcode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for the end and return the output."""
        with ThreadPoolExecutor(2) as readers, self.stdout, self.stderr:
            printed = [readers.submit(stream.read) for stream in (self.stdout, self.stderr)]
            self.wait(timeout)
            return printed[0].result(), printed[1].result()

    def send_signal(self, number: int, /) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _live(
    folder: Path,
    environment: Mapping[str, str],
    arguments: list[str],
    output: Path | tuple[Connection, Connection],
    script: str | None,
    shared_workers: bool,
) -> None:
    """Set up the forked process as if it had been started with these arguments."""
    from rlviz.__main__ import main
    from rlviz.cli import connection
    from rlviz.launchers import process

    if isinstance(output, Path):
        log = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
    else:
        for number, writer in enumerate(output, start=1):
            os.dup2(writer.fileno(), number)
            writer.close()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if shared_workers:
        process.ForkedWorkers = SharedWorkers  # type: ignore[misc]
        if FORKED_FIRST in environment:
            connection._with_first_worker = lambda _niceness: process.ProcessLauncher(source=SharedWorkers())
    if script is not None:
        exec(compile(script, "<script>", "exec"), {"__name__": "__main__"})
        return
    sys.argv = ["rlviz", *arguments]
    sys.exit(main(arguments))
