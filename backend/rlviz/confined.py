"""Run functions on untrusted files in a separate process with limits on memory and time.

    python -m rlviz.confined MEMORY_BYTES

A small file can expand to any size. Here it cannot fill the service's memory, block its threads or crash it: a process
that exceeds a limit is ended, and the caller gets TooMuchToRead.

Calls and answers are pickled and length-prefixed on the pipes between two processes of the same program. The process
ends with its standard input, and after IDLE_SECONDS without a call.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Semaphore, Thread
from types import FrameType
from typing import Any, BinaryIO, NoReturn

from rlviz.child_environment import child_environment
from rlviz.domain.byte_text import byte_text
from rlviz.domain.errors import TooMuchToRead
from rlviz.domain.registry import load
from rlviz.importing import module_command
from rlviz.machine import lower_priority

IDLE_SECONDS = 120.0
MOST_ANSWER_BYTES = 1 << 26

NICENESS = 5
"""A user waits for the answer: before training (10), after the service (0)."""
GRACE_SECONDS = 15.0
"""Seconds for a function to clean up after its time is over, before its process is killed."""

_LENGTH = struct.Struct("<Q")


class Confined:
    """Calls functions in at most ``processes`` processes at a time. Thread-safe. ``close`` ends the processes.

    A process answers many calls in turn, so that only the first waits for imports.
    """

    def __init__(self, *, memory: int, seconds: float, processes: int = 1) -> None:
        """``memory``: limit of a process in bytes. ``seconds``: limit of a call."""
        self._memory, self._seconds = memory, seconds
        self._turns = Semaphore(processes)
        self._lock = Lock()
        self._idle: list[_Process] = []
        self._processes: set[_Process] = set()
        self._closed = False

    def call(self, function: str, *arguments: Any) -> Any:
        """Call ``function`` ("module:name") and return its result. Raises its errors, and TooMuchToRead."""
        with self._turns:
            process = self._idle_process() or self._start()
            try:
                kind, value = process.ask((function, arguments, self._seconds), self._seconds + GRACE_SECONDS)
            except BaseException:
                self._end(process)
                raise
            if kind in ("memory", "time"):  # its memory may be fragmented, or it may hang
                self._end(process)
            else:
                self._idle.append(process)
        return self._result(kind, value)

    def stream(self, function: str, *arguments: Any) -> Iterator[Any]:
        """Yield the values of ``function`` from a process of its own. Raises the errors of ``call``; the time limit
        applies to each value, so the reader can be slow."""
        process = self._start()
        try:
            said = process.ask((function, arguments, self._seconds), self._seconds + GRACE_SECONDS)
            while said[0] == "piece":
                yield said[1]
                said = process.ask(None, self._seconds + GRACE_SECONDS)
            self._result(*said)
        finally:
            self._end(process)

    def close(self) -> None:
        """End all processes. Waiting calls raise TooMuchToRead."""
        with self._lock:
            self._closed = True
            processes = list(self._processes)
        for process in processes:
            self._end(process)

    def _idle_process(self) -> _Process | None:
        while self._idle:
            with suppress(IndexError):  # another thread took it
                process = self._idle.pop()
                if not process.has_ended:
                    return process
                self._end(process)
        return None

    def _start(self) -> _Process:
        with self._lock:
            if self._closed:
                raise TooMuchToRead("The service is ending.")
            process = _Process(self._memory)
            self._processes.add(process)
        return process

    def _end(self, process: _Process) -> None:
        with self._lock:
            self._processes.discard(process)
        process.kill()

    def _result(self, kind: str, value: Any) -> Any:
        match kind:
            case "returned":
                return value
            case "raised":
                raise _rebuilt(*value)
            case "time":
                raise TooMuchToRead(f"Reading it takes longer than {self._seconds:g} seconds.")
        raise TooMuchToRead(f"Reading it takes more than {byte_text(self._memory)} of memory.")


class _Process:
    def __init__(self, memory: int) -> None:
        self._popen = subprocess.Popen(
            [*module_command("rlviz.confined"), str(memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=child_environment(OMP_NUM_THREADS="1", ARROW_DEFAULT_MEMORY_POOL="system"),
            start_new_session=True,  # Ctrl-C goes to the service, which ends this process
        )
        self._answers: SimpleQueue[bytes] = SimpleQueue()
        Thread(target=self._listen, name="confined", daemon=True).start()

    @property
    def has_ended(self) -> bool:
        return self._popen.poll() is not None

    def ask(self, question: object, seconds: float) -> tuple[str, Any]:
        """Return kind and value of the answer; ("memory", None) if the process ended without one."""
        assert self._popen.stdin is not None
        with suppress(OSError):  # it has ended, which the listener reports
            _write(self._popen.stdin, pickle.dumps(question))
        try:
            answer = self._answers.get(timeout=seconds)
        except Empty:
            return "time", None
        if not answer:
            return "memory", None
        found: tuple[str, Any] = pickle.loads(answer)
        return found

    def kill(self) -> None:
        self._popen.kill()
        self._popen.wait()
        for pipe in (self._popen.stdin, self._popen.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def _listen(self) -> None:
        """Pass on each answer, and an empty one at the end."""
        assert self._popen.stdout is not None
        with suppress(OSError, ValueError):  # killed, and its pipe closed
            while answer := _read(self._popen.stdout):
                self._answers.put(answer)
        self._answers.put(b"")


def _rebuilt(error_class: str, arguments: tuple[Any, ...], attributes: dict[str, Any]) -> BaseException:
    """Rebuild the raised error without calling its ``__init__``."""
    kind: type[BaseException] = load(error_class)
    error = kind.__new__(kind)
    error.args = arguments
    for name, value in attributes.items():
        setattr(error, name, value)
    return error


# In the process itself


class _TimeIsUp(BaseException):
    """Raised within the function, so that it can clean up."""


def main(memory: str) -> int:
    _limit_memory(int(memory))
    lower_priority(NICENESS)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not mix with answers
    questions: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_receive, args=(questions,), daemon=True).start()
    while asked := _next(questions):
        function, arguments, seconds = pickle.loads(asked)
        for kind, value in _answers(function, arguments, seconds):
            answer = pickle.dumps((kind, value))
            _write(answers, answer if len(answer) <= MOST_ANSWER_BYTES else pickle.dumps(("memory", None)))
            if kind == "piece":
                questions.get()  # the reader wants the next one
    return 0


def _answers(function: str, arguments: tuple[Any, ...], seconds: float) -> Iterator[tuple[str, Any]]:
    alarm = _Alarm(seconds)
    try:
        with alarm:
            found = load(function)(*arguments)
        if isinstance(found, Iterator):
            while True:
                with alarm:
                    piece = next(found, None)
                if piece is None:
                    break
                yield "piece", piece
            found = None
    except _TimeIsUp:
        yield "time", None
    except MemoryError:
        yield "memory", None
    except Exception as error:
        # pydantic turns _TimeIsUp into an error of its own while it builds a validator
        yield ("time", None) if alarm.has_rung else ("raised", _described(error))
    else:
        yield "returned", found


def _described(error: Exception) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    attributes = dict(vars(error))
    if isinstance(error, OSError) and error.errno is not None:
        attributes |= {"errno": error.errno, "strerror": error.strerror, "filename": error.filename}
    try:
        pickle.dumps((error.args, attributes))
        type(error).__new__(type(error))  # as _rebuilt does; some classes of libraries need arguments
    except Exception:
        return "builtins:RuntimeError", (f"{type(error).__name__}: {error}",), {}
    return f"{type(error).__module__}:{type(error).__qualname__}", error.args, attributes


class _Alarm:
    """Raises _TimeIsUp in its block after ``seconds``, if the platform supports it. Its blocks can be repeated."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.has_rung = False

    def __enter__(self) -> None:
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, self._ring)
            signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def __exit__(self, *_error: object) -> None:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _ring(self, _number: int, _frame: FrameType | None) -> NoReturn:
        self.has_rung = True
        raise _TimeIsUp


def _receive(questions: SimpleQueue[bytes]) -> None:
    """Pass on each question, and exit when the service is gone."""
    with suppress(OSError):
        while question := _read(sys.stdin.buffer):
            questions.put(question)
    os._exit(0)


def _next(questions: SimpleQueue[bytes]) -> bytes:
    """Return the next question; empty after a long time without one."""
    try:
        return questions.get(timeout=IDLE_SECONDS)
    except Empty:
        return b""


def _limit_memory(memory: int) -> None:
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def _write(pipe: BinaryIO | Any, message: bytes) -> None:
    pipe.write(_LENGTH.pack(len(message)) + message)
    pipe.flush()


def _read(pipe: BinaryIO | Any) -> bytes:
    """Empty at the end."""
    head = pipe.read(_LENGTH.size)
    return pipe.read(_LENGTH.unpack(head)[0]) if len(head) == _LENGTH.size else b""


def serve(memory: str) -> NoReturn:
    """Answer until IDLE_SECONDS pass without a question. Exits without the interpreter's shutdown, which needs the lock
    of standard input that the reading thread holds."""
    status = main(memory)
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    serve(*sys.argv[1:])
