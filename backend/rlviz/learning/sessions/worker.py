"""The worker process of a session: connects to the service, plays, and ends.

A watchdog ends the process if the environment does not return.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from io import BufferedReader
from math import inf
from queue import Empty, Full, Queue
from threading import Lock, Thread, get_ident
from typing import NoReturn

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import ValidationError

from rlviz.domain.errors import RlvizError, summarize_error
from rlviz.domain.recording import StepRecord
from rlviz.domain.sessions import (
    EndedMessage,
    ErrorMessage,
    Line,
    RecordedMessage,
    ServerMessage,
    SessionMode,
    SliceMessage,
)
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.conforming import Fault, listen
from rlviz.learning.environments.custom import chosen_environment, find_environment
from rlviz.learning.environments.gameboy.cartridge import OwnCartridge
from rlviz.learning.environments.make import make
from rlviz.learning.environments.observed import FaultKind
from rlviz.learning.playing.recording import as_jpeg, as_png
from rlviz.learning.playing.seen import Seen
from rlviz.learning.sessions.camera import Camera
from rlviz.learning.sessions.folder import DescribedRom, SessionFolder, SessionPlan
from rlviz.learning.sessions.packets import HEAD, WORKER_MESSAGE, Kind, PackedStep, pack, pack_step, parse_head
from rlviz.learning.sessions.played import PlayedRun
from rlviz.learning.sessions.player import SessionPlayer
from rlviz.learning.sessions.stage import FixedPolicy, NewestPolicy, NoPolicy, PolicySource, SessionInput, Stage
from rlviz.learning.sessions.starts import make_start
from rlviz.learning.training.attempt import where
from rlviz.machine import kill_children
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.foreign import Lease

MAX_WAITING = 200
"""Largest number of waiting messages. More are refused, so that the end of the connection is always noticed."""


class ServiceGone(ConnectionError):
    """The service has ended, or was killed."""


class Link:
    """The connection to the service: sends steps and reads requests in a separate thread.

    ``on_end`` is called in that thread when the service or the viewer is gone.
    """

    def __init__(self, connection: socket.socket, on_end: Callable[[], None]) -> None:
        self._connection, self._on_end = connection, on_end
        self._sending = Lock()
        self._waiting: Queue[SessionInput] = Queue(MAX_WAITING)
        self._thread = Thread(target=self._gather, name="link", daemon=True)

    @classmethod
    def connect(cls, path: str, secret: str, on_end: Callable[[], None]) -> Link:
        """Connect to the service. Raises OSError if it does not listen at ``path``."""
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        link = cls(connection, on_end)
        link._send(pack(Kind.SECRET, secret.encode()))
        link._thread.start()
        return link

    def send(self, message: ServerMessage) -> None:
        kind = Kind.SLICE if isinstance(message, SliceMessage) else Kind.MESSAGE
        self._send(pack(kind, message.model_dump_json().encode()))

    def show(
        self,
        record: StepRecord,
        frame: NDArray[np.uint8] | None,
        seen: Seen | None = None,
        line: Line = Line.PLAYED,
    ) -> None:
        """Send a step with its frame (height, width, 3)."""
        content = record.model_dump_json().encode()
        step = PackedStep(content, b"" if frame is None else as_jpeg(frame), line=line)
        if seen is not None:
            step = step._replace(seen=seen.about.model_dump_json().encode(), pictures=as_png(seen.pixels))
        self._send(pack_step(step))

    def ask_for_recording(self) -> None:
        """Ask for a run to store an episode played by hand."""
        self._send(pack(Kind.RECORD, b""))

    def leave(self) -> None:
        """Close the connection."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def wait(self, seconds: float) -> SessionInput | None:
        """Return the next request, or None after ``seconds`` without one."""
        try:
            return self._waiting.get(block=seconds > 0, timeout=max(seconds, 0) or None)
        except Empty:
            return None

    def await_end(self) -> None:
        """Wait until the end of the connection was noticed and handled."""
        self._thread.join()

    def _send(self, packet: bytes) -> None:
        """Send a packet. Raises ServiceGone."""
        try:
            with self._sending:
                self._connection.sendall(packet)
        except ConnectionError as error:
            raise ServiceGone from error

    def _gather(self) -> None:
        try:
            with self._connection.makefile("rb") as file:
                while (content := _read_message(file)) is not None:
                    self._take(content)
        except (OSError, ValueError):
            pass
        finally:
            self._on_end()

    def _take(self, content: bytes) -> None:
        try:
            self._waiting.put_nowait(WORKER_MESSAGE.validate_json(content))
        except ValidationError:
            self.send(ErrorMessage(detail="The message was not understood."))
        except Full:
            self.send(ErrorMessage(detail="Too many messages at once; this one was dropped."))


def _read_message(file: BufferedReader) -> bytes | None:
    """Return the next packet, or None at the end. Raises ValueError for an invalid one."""
    head = file.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    _, length = parse_head(head)
    content = file.read(length)
    return content if len(content) == length else None


POLL_SECONDS = 0.25
MOST_A_LOOK = 1.0
"""Largest time counted between two checks: a process that was frozen for longer did not hang."""

STEP_SECONDS = 8.0
"""A step, reset or frame that takes longer counts as hanging; time spent waiting for a processor is not counted."""

LAST_RESORT_SECONDS = 20.0
"""Additional time before a worker is ended whose native code blocks all Python threads. No thread can check then, so
time spent waiting for a processor counts too."""

LAST_WORDS_SECONDS = 10.0
"""Time for ``on_hang`` to close recordings and report the cause."""

_STDERR = 2
"""Not ``sys.stderr``, which an environment may have redirected."""


class Watchdog:
    """Ends the process if ``alive`` is not called often enough; first calls ``on_hang`` with the line of code."""

    def __init__(self, on_hang: Callable[[str], None], *, seconds: float = STEP_SECONDS) -> None:
        """Watch the thread that creates this."""
        self._on_hang, self._seconds = on_hang, seconds
        self._thread_id, self._clock = get_ident(), _Clock()
        self._sign = _SignOfLife(inf)
        self._arming = Lock()
        self._has_ended = False
        Thread(target=self._watch, name="watchdog", daemon=True).start()

    def alive(self, grace: float | None = None) -> None:
        """Report that the thread runs; it will report again within ``grace`` seconds."""
        if grace is None:
            self._sign = _SignOfLife(self._seconds)
            return
        with self._arming:
            self._sign = _SignOfLife(grace)
            if not self._has_ended:  # native code may start before the next check and block all checks
                _end_after(grace + LAST_RESORT_SECONDS)

    def _watch(self) -> None:
        sign, at, counted = self._sign, self._clock.seconds(), 0.0
        while not self._hangs(sign, counted):
            time.sleep(POLL_SECONDS)
            before, at = at, self._clock.seconds()
            counted += min(at - before, MOST_A_LOOK)
            if self._sign is not sign:
                sign, counted = self._sign, 0.0
        stack = where(self._thread_id)
        try:
            os.write(_STDERR, ("The environment hung here:\n" + "".join(stack)).encode())
            self._on_hang(" ".join(stack[-1].split()) if stack else "")
        finally:
            os._exit(1)

    def _hangs(self, sign: _SignOfLife, counted: float) -> bool:
        """Return whether the thread hangs, ``counted`` seconds after the sign.

        The process ends if no check follows.
        """
        with self._arming:
            if self._sign is not sign or sign.seconds == inf:
                return False
            self._has_ended = counted >= sign.seconds
            _end_after(LAST_WORDS_SECONDS if self._has_ended else sign.seconds - counted + LAST_RESORT_SECONDS)
            return self._has_ended


class _SignOfLife:
    """A sign of life; the next is due within ``seconds``."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds


class _Clock:
    """Measures time without that in which the creating thread waited for a processor.

    Linux counts it in the second field of ``schedstat`` (Documentation/scheduler/sched-stats.rst). Elsewhere all time
    counts.
    """

    def __init__(self) -> None:
        self._file: int | None = None
        with suppress(OSError):
            self._file = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)

    def seconds(self) -> float:
        """Return the seconds counted. For any thread."""
        queued = 0 if self._file is None else int(os.pread(self._file, 64, 0).split()[1])
        return time.monotonic() - queued / 1e9


def _end_after(seconds: float) -> None:
    """End the process later, in a new thread. If no thread can be started, this last resort is missing."""
    with suppress(RuntimeError):
        faulthandler.dump_traceback_later(seconds, exit=True, file=_STDERR)


OPENING_SECONDS = 60.0
"""Time limit for importing and making an environment, or reading a policy."""


def play_session(folder: SessionFolder) -> None:
    """Play the session planned in ``folder`` until the service closes the connection, which ends the process.

    Returns when playing failed, after reporting the cause. Raises OSError if there is no service.
    """
    plan = folder.read_plan()
    with ExitStack() as at_the_end:

        def leave() -> None:
            at_the_end.close()
            kill_children()
            os._exit(0)

        link = Link.connect(str(folder.socket_path), plan.secret, leave)
        signal.signal(signal.SIGTERM, lambda *_: link.leave())
        played: PlayedRun | None = None
        faults: SessionFaults | None = None

        def kept(run_id: str, episodes: int) -> None:
            with suppress(ServiceGone):  # the last episodes are stored after the service is gone
                link.send(RecordedMessage(run_id=run_id, episodes=episodes))

        def end(cause: str) -> None:
            if played is not None:
                played.close(cause)
            at_the_end.close()
            with suppress(OSError):
                link.send(EndedMessage(cause=cause))

        watchdog = Watchdog(lambda line: end(f"The environment did not return, and was ended. It hung here: {line}"))
        watchdog.alive(OPENING_SECONDS)
        try:
            if plan.rom is not None:
                _describe(plan.rom, plan.env_id, link, watchdog)
            policies = _policies(plan, before_load=lambda: watchdog.alive(OPENING_SECONDS))
            at_the_end.callback(policies.close)
            stage = _stage(plan, policies, watchdog.alive)
            faults = SessionFaults(lambda why: link.send(ErrorMessage(detail=why)))
            listen(stage.env, faults.report)
            fps = float(stage.environment.render_fps)
            camera = Camera(folder.path, fps=fps, always=plan.mode is SessionMode.PLAY)
            played = PlayedRun(
                stage.env,
                camera,
                link.ask_for_recording,
                kept,
                lambda why: link.send(ErrorMessage(detail=why)),
            )
            at_the_end.callback(played.close)
            player = SessionPlayer(stage, link, sinks=[played], on_recording=played.open, alive=watchdog.alive)
            while True:
                player.run_once()
                watchdog.alive()  # the next lines may wait for a disk
                played.store_finished()
        except ServiceGone:  # the reading thread will notice it too, and end this process
            link.await_end()
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            cause = faults.cause if faults is not None else None
            end(_cause(error) if cause is None else f"{cause} {_cause(error)}")


def _describe(rom: DescribedRom, env_id: str, link: Link, watchdog: Watchdog) -> NoReturn:
    """Play a ROM to describe it, until the link ends the process."""
    from rlviz.learning.sessions.describing import GameDescriber  # PyBoy is optional

    cartridge = OwnCartridge(rom.path, rom.sha256)
    describer = GameDescriber(cartridge, rom.path.parent, env_id, rom.start_state, link, alive=watchdog.alive)
    while True:
        describer.run_once()


class SessionFaults:
    """Reports faults of the environment to the viewer, once for each kind."""

    def __init__(self, send: Callable[[str], None]) -> None:
        self._send, self._sent = send, set[FaultKind]()
        self.cause: str | None = None
        """The first value that was not finite, as a sentence."""

    def report(self, fault: Fault) -> None:
        if fault.kind.is_not_finite and self.cause is None:
            self.cause = fault.words()
        if fault.kind not in self._sent:
            self._sent.add(fault.kind)
            self._send(fault.sentence())


def _policies(plan: SessionPlan, before_load: Callable[[], None]) -> PolicySource:
    if plan.run_folder is None:
        return NoPolicy()
    folder = RunFolder.at(plan.run_folder)
    config = folder.read_config()
    if plan.policy is not None:
        return FixedPolicy(folder, config.algo, plan.policy, before_load=before_load)
    return NewestPolicy(folder, config.algo, Lease(folder), ended_attempt=plan.ended_attempt, before_load=before_load)


def _stage(plan: SessionPlan, policies: PolicySource, alive: Callable[[], None]) -> Stage:
    start = None
    if plan.run_folder is None:
        environment, run_id = _environment(plan), None
    else:
        folder = RunFolder.at(plan.run_folder)
        config = folder.read_config()
        environment, run_id = find_environment(config), config.run_id
        torch.set_num_threads(config.torch_threads)
        if plan.start is not None:
            start = make_start(folder, plan.start, alive)
    make_env = partial(make, environment, render=True, whole_episodes=True)
    return Stage(
        mode=plan.mode,
        environment=environment,
        env=make_env(),
        make_env=make_env,
        policies=policies,
        run_id=run_id,
        seed=plan.seed,
        greedy=plan.greedy,
        start=start,
    )


def _environment(plan: SessionPlan) -> Environment:
    if plan.custom_environment is not None:
        return chosen_environment(plan.env_id, plan.custom_environment, plan.env_options)
    return ENVIRONMENTS.get(plan.env_id).resolve(plan.env_options)


def _cause(error: Exception) -> str:
    """Describe an error in one sentence for the viewer."""
    if isinstance(error, RlvizError):
        return str(error)
    return f"Playing failed with {summarize_error(error)}. The service's log has the traceback."
