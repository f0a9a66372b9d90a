"""The default launcher: each run trains in its own process, so that runs use all cores and cannot disturb each other.

Importing torch takes seconds. To save them, the launcher keeps warm workers: on Linux a template process that has
imported everything and is forked for each job (``ForkedWorkers``), elsewhere processes that each wait for one job
(``PrewarmedWorkers``). After a restart, the service adopts workers by their process identity.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import psutil

from rlviz.child_environment import child_environment
from rlviz.domain.errors import ArtifactNotFound, LauncherError
from rlviz.importing import module_command
from rlviz.launchers.base import Exit, Job, Launcher, UnknownWorker, Worker, WorkFolder, worker_arguments
from rlviz.machine import DEFAULT_NICENESS
from rlviz.rundir.process_identity import ProcessIdentity

_VMSTAT = Path("/proc/vmstat")


class _LastingProcess(subprocess.Popen[bytes]):
    """A process that may outlive the service; Python does not warn when the object is deleted while it runs."""

    def __del__(self) -> None:
        super().__del__(_warn=lambda *_args, **_options: None)  # type: ignore[call-arg]


class ChildWorker(Worker):
    """A child process of this service."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._identity = _identity_of(process.pid)
        self._kills_before = _out_of_memory_kills()
        self._exit: Exit | None = None

    @property
    def identity(self) -> str:
        return self._identity

    def poll(self) -> Exit | None:
        code = self._process.poll()
        if code is not None and self._exit is None:
            self._exit = _exit_of(code, self._kills_before)
        return self._exit

    def processor_seconds(self) -> float | None:
        return _processor_seconds_of(self._identity)

    def terminate(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()

    def kill(self) -> None:
        if self._process.poll() is None:
            if hasattr(os, "killpg"):
                _kill(self._process.pid)
            else:
                self._process.kill()


class AdoptedWorker(Worker):
    """A process that an earlier service started: it can be watched, but its exit status is lost."""

    def __init__(self, process: ProcessIdentity) -> None:
        self._process = process

    @property
    def identity(self) -> str:
        return str(self._process)

    def poll(self) -> Exit | None:
        return None if self._process.is_alive() else Exit(None)

    def processor_seconds(self) -> float | None:
        return self._process.processor_seconds()

    def terminate(self) -> None:
        if self._process.is_alive():
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(self._process.pid, signal.SIGTERM)

    def kill(self) -> None:
        if self._process.is_alive():
            _kill(self._process.pid)


@dataclass
class Fork:
    """A forked process. ``exit_status`` is negative for a signal, and None while it is unknown.

    ``identity`` was read before the template waited for it, so it is known even if the process ended at once.
    """

    pid: int
    identity: str
    exit_status: int | None = None


class Forks(Protocol):
    """The process that workers are forked from; it waits for them and reports their exit codes."""

    def is_up(self) -> bool:
        """Read reported exit codes. Returns False after the process has exited: then no more codes can be read."""


class ForkedWorker(Worker):
    """A fork of the launcher's template. After the template exits, it is watched like an adopted worker."""

    def __init__(self, fork: Fork, forks: Forks) -> None:
        self._fork, self._forks = fork, forks
        self._identity = fork.identity
        self._kills_before = _out_of_memory_kills()
        self._exit: Exit | None = None

    @property
    def identity(self) -> str:
        return self._identity

    def poll(self) -> Exit | None:
        if self._exit is None:
            is_known_here = self._forks.is_up()
            code = self._fork.exit_status
            if code is not None:
                self._exit = _exit_of(code, self._kills_before)
            elif not is_known_here:
                return self._adopted().poll()
        return self._exit

    def processor_seconds(self) -> float | None:
        return _processor_seconds_of(self._identity)

    def terminate(self) -> None:
        self._adopted().terminate()

    def kill(self) -> None:
        self._adopted().kill()

    def _adopted(self) -> Worker:
        process = ProcessIdentity.parse(self._identity)
        return UnknownWorker() if process is None else AdoptedWorker(process)


def spawn(arguments: list[str], *, stdin: int, output: int) -> subprocess.Popen[bytes]:
    """Start a worker process in its own session. Raises LauncherError."""
    environment = child_environment(SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy", PYTHONUNBUFFERED="1")
    try:
        return _LastingProcess(
            [*module_command("rlviz.worker"), *arguments],
            stdin=stdin,
            stdout=output,
            stderr=output,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        raise LauncherError(f"The worker process could not be started: {error}.") from error


def _kill(pid: int) -> None:
    """Kill a worker and the processes that its environment started: a worker leads its own process group."""
    with suppress(ProcessLookupError, PermissionError):
        (os.killpg if os.getpgid(pid) == pid else os.kill)(pid, signal.SIGKILL)


def _exit_of(code: int, kills_before: int) -> Exit:
    return Exit(code, out_of_memory=code == -signal.SIGKILL and _out_of_memory_kills() > kills_before)


def _identity_of(pid: int) -> str:
    """Return the identity of a process, or an empty text if it has ended."""
    try:
        return str(ProcessIdentity.of(pid))
    except psutil.NoSuchProcess:
        return ""


def _processor_seconds_of(identity: str) -> float | None:
    process = ProcessIdentity.parse(identity)
    return None if process is None else process.processor_seconds()


def _out_of_memory_kills() -> int:
    """Return the number of processes that the kernel killed for lack of memory since boot; 0 if unknown."""
    try:
        for line in _VMSTAT.read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


class WarmWorkers(ABC):
    """Processes that have imported everything. All calls come from one thread and return at once."""

    @abstractmethod
    def maintain(self) -> None:
        """Start missing processes that are due. Called several times a second."""

    @abstractmethod
    def start(self, arguments: list[str]) -> Worker | None:
        """Return a worker that does the job with these arguments, or None if no warm one is available."""

    @abstractmethod
    def close(self) -> None:
        """End processes without a job; workers with a job continue."""


RESPAWN_SECONDS = 1.5
"""Delay before the next worker is prewarmed after a launch, so that its imports do not slow the run's first steps."""

PREWARMED = 2
"""One worker for a run, and one for a session that watches it."""

IMPORT_SECONDS = 5.0
"""Time between two prewarmings, so that their imports do not compete."""


class PrewarmedWorkers(WarmWorkers):
    """Keeps two workers, which may get their job while they still import. They end with the service."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._prewarmed: list[subprocess.Popen[bytes]] = []
        self._respawn_at = monotonic()
        self._closed = False

    def maintain(self) -> None:
        for prewarmed in [one for one in self._prewarmed if one.poll() is not None]:
            self._discard(prewarmed)
            self._respawn_at = self._monotonic() + RESPAWN_SECONDS
        now = self._monotonic()
        if not self._closed and len(self._prewarmed) < PREWARMED and now >= self._respawn_at:
            self._respawn_at = now + IMPORT_SECONDS
            self._prewarmed.append(spawn(["--prewarm"], stdin=subprocess.PIPE, output=subprocess.DEVNULL))

    def start(self, arguments: list[str]) -> Worker | None:
        self._respawn_at = self._monotonic() + RESPAWN_SECONDS
        while self._prewarmed:
            if _hand_over(self._prewarmed[0], arguments):
                return ChildWorker(self._prewarmed.pop(0))
            self._discard(self._prewarmed[0])
        return None

    def close(self) -> None:
        for prewarmed in list(self._prewarmed):
            self._discard(prewarmed)
        self._closed = True

    def _discard(self, prewarmed: subprocess.Popen[bytes]) -> None:
        self._prewarmed.remove(prewarmed)
        with prewarmed:  # closes its pipe and waits for it to end
            prewarmed.kill()


class FirstWorker(PrewarmedWorkers):
    """A single worker for the first job of a service, which imports while the service itself starts."""

    def __init__(self) -> None:
        super().__init__()
        super().maintain()

    def maintain(self) -> None:
        """Do nothing: the worker was started at once, and no other follows."""


def _hand_over(prewarmed: subprocess.Popen[bytes], arguments: list[str]) -> bool:
    """Send ``prewarmed`` its job, which it may receive while it still imports. Returns False if it has died."""
    pipe = prewarmed.stdin
    if prewarmed.poll() is not None or pipe is None:
        return False
    try:
        pipe.write(json.dumps(arguments).encode() + b"\n")
        pipe.close()
    except OSError:
        return False
    return True


FORKS = sys.platform == "linux"
"""Whether a process that has imported torch can be forked. On macOS its libraries forbid it; Windows has no fork."""

FORK_SECONDS = 5.0
"""How long the template may take for a fork, which takes milliseconds, before it is replaced."""

MAX_BYTES = 64_000
"""Size limit of a message."""

REFUSED = -1
"""Sent instead of a process id if the system refused the fork."""


class ForkedWorkers(WarmWorkers):
    """Keeps a template process and asks it for forks. This is the launcher's side."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._respawn_at = monotonic()
        self._closed = False
        self.template: Template | None = None

    def maintain(self) -> None:
        if self.template is not None and not self.template.is_up():
            self.template = None
            self._respawn_at = self._monotonic() + RESPAWN_SECONDS
        if self.template is None and not self._closed and self._monotonic() >= self._respawn_at:
            self.template = Template.started()

    def start(self, arguments: list[str]) -> Worker | None:
        fork = None if self.template is None else self.template.fork(arguments)
        return None if self.template is None or fork is None else ForkedWorker(fork, self.template)

    def close(self) -> None:
        self._closed = True
        if self.template is not None:
            self.template.close()


class Template:
    """One template process, from its start to its end. Its forks outlive it."""

    def __init__(self, connection: socket.socket, process: subprocess.Popen[bytes] | None = None) -> None:
        """Use the process behind ``connection``, which runs ``fork_workers``; ``close`` kills ``process``."""
        self._connection, self._process = connection, process
        self._is_ready = False
        self._forked: Fork | None = None
        self._running: dict[int, Fork] = {}
        """Running forks by process id. The system may reuse an id after a fork has ended."""

    @classmethod
    def started(cls) -> Template:
        """Start a new template, which begins to import. Raises LauncherError."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            return cls(ours, spawn(["--template"], stdin=theirs.fileno(), output=subprocess.DEVNULL))

    def is_ready(self) -> bool:
        """Return whether it has imported everything and can fork."""
        return self.is_up() and self._is_ready

    def is_up(self) -> bool:
        self._receive()
        return self._connection.fileno() >= 0

    def fork(self, arguments: list[str]) -> Fork | None:
        """Fork a worker that does the job with these arguments. Returns None if that is not possible now."""
        if not self.is_ready():
            return None
        self._forked = None
        try:
            self._connection.settimeout(FORK_SECONDS)
            self._connection.send(json.dumps(arguments).encode())
        except OSError:
            self.close()
        deadline = time.monotonic() + FORK_SECONDS
        while self._forked is None and self._connection.fileno() >= 0:
            self._receive(max(0.0, deadline - time.monotonic()))
            if self._forked is None and time.monotonic() >= deadline:
                self.close()  # so that it cannot fork later, after another worker got the job
        return None if self._forked is None or self._forked.pid == REFUSED else self._forked

    def close(self) -> None:
        """End the template. Its forks continue."""
        if self._connection.fileno() >= 0:
            self._connection.close()
            if self._process is not None:
                with self._process as process:
                    process.kill()

    def _receive(self, seconds: float = 0.0) -> None:
        """Handle the messages that have arrived, waiting up to ``seconds`` for the first."""
        while self._connection.fileno() >= 0:
            self._connection.settimeout(seconds)
            try:
                message = self._connection.recv(MAX_BYTES)
            except (TimeoutError, BlockingIOError):
                return
            except OSError:
                message = b""
            seconds = 0.0
            if message:
                self._take(json.loads(message))
            else:
                self.close()

    def _take(self, message: dict[str, Any]) -> None:
        match message:
            case {"ready": True}:
                self._is_ready = True
            case {"forked": pid, "identity": identity}:
                self._forked = Fork(pid, identity)
                if pid != REFUSED:
                    self._running[pid] = self._forked
            case {"ended": [pid, status]} if pid in self._running:
                self._running.pop(pid).exit_status = status


def fork_workers(connection: socket.socket) -> list[str] | None:
    """Fork a worker for each job that arrives on ``connection``, until the launcher closes it.

    Returns:
        The job's arguments, in each forked worker; None, in the template, at the end.
    """
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    gc.collect()
    gc.freeze()  # otherwise a worker's first collection would copy all the memory that it shares
    _send(connection, {"ready": True})
    while True:
        readable, _, _ = select.select([connection.fileno(), woken], [], [])
        if connection.fileno() in readable:
            try:
                message = connection.recv(MAX_BYTES)
            except ConnectionResetError:  # the launcher was killed before it had read all messages
                return None
            if not message:
                return None
            pid = _fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for descriptor in (woken, wake, connection.detach()):
                    os.close(descriptor)
                os.setsid()
                return list(json.loads(message))
            _send(connection, {"forked": pid, "identity": "" if pid == REFUSED else _identity_of(pid)})
        if woken in readable:
            os.read(woken, MAX_BYTES)
            _report_ends(connection)


def _fork() -> int:
    """Call os.fork; return REFUSED if the system refuses."""
    try:
        return os.fork()
    except OSError:
        return REFUSED


def _report_ends(connection: socket.socket) -> None:
    """Report each fork that has ended to the launcher."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        _send(connection, {"ended": [pid, os.waitstatus_to_exitcode(status)]})


def _send(connection: socket.socket, message: dict[str, Any]) -> None:
    with suppress(OSError):  # the launcher has exited; the next receive detects it
        connection.send(json.dumps(message).encode())


class ProcessLauncher(Launcher):
    """Starts worker processes, warm ones if possible.

    Workers have their own sessions, so that Ctrl-C on the service does not reach them: training survives a restart.
    """

    def __init__(
        self, *, warm: bool = True, niceness: int = DEFAULT_NICENESS, source: WarmWorkers | None = None
    ) -> None:
        """Create the launcher.

        Args:
            warm: Whether to keep warm workers.
            niceness: Added to the niceness of this process for its workers, from 0 to 19.
            source: Warm workers to use instead of the kind that suits the system.
        """
        if source is None and warm:
            source = ForkedWorkers() if FORKS else PrewarmedWorkers()
        self.source = source
        self._niceness = niceness

    def maintain(self) -> None:
        if self.source is not None:
            self.source.maintain()

    def launch(self, folder: WorkFolder, job: Job) -> Worker:
        try:
            folder.check()
        except ArtifactNotFound as error:
            raise LauncherError(str(error)) from error
        arguments = ["--niceness", str(self._niceness), *worker_arguments(folder, job)]
        warm = None if self.source is None else self.source.start(arguments)
        return warm or ChildWorker(_start_cold(folder, arguments))

    def adopt(self, identity: str) -> Worker | None:
        process = ProcessIdentity.parse(identity)
        return AdoptedWorker(process) if process is not None and process.is_alive() else None

    def cause_of_loss(self, identity: str) -> str:
        process = ProcessIdentity.parse(identity)
        if process is not None and not process.is_of_this_boot:
            return "The host was restarted."
        return super().cause_of_loss(identity)

    def close(self) -> None:
        """End warm workers without a job; workers with a job continue."""
        if self.source is not None:
            self.source.close()


def _start_cold(folder: WorkFolder, arguments: list[str]) -> subprocess.Popen[bytes]:
    try:
        with folder.open_log() as log:
            return spawn(arguments, stdin=subprocess.DEVNULL, output=log.fileno())
    except OSError as error:
        raise LauncherError(f"The worker's log could not be opened: {error}.") from error
