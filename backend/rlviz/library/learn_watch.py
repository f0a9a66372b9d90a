"""Detect how ``learn`` of a Stable-Baselines3 model ends. The library reports only its normal end to callbacks.

``learn`` runs in a stack frame. When the frame is gone, ``learn`` has ended, and the frame's last instruction is a
``return`` or the call that raised. The exception itself is observed as it passes through the functions that ``learn``
calls: methods of the model, and its callbacks' end of training.

``SpecQuestion`` finds out whether the spec of an environment in another process can be sent from there.
"""

from __future__ import annotations

import dis
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, wraps
from inspect import getattr_static
from types import FrameType, FunctionType
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback

_KNOWN = ("stable_baselines3", "sb3_contrib")
"""Packages whose ``learn`` returns directly after its callbacks' end of training."""

_MOST_LOOKS = 3
"""Number of attempts to find an unobserved exception before the end is reported without it."""


class UnseenError(Exception):
    """``learn`` raised an exception that the program handled before it could be read."""


class LearnWatch:
    """Calls ``on_end`` when ``learn`` has ended: with None, or with the exception that it raised.

    Create it within ``learn``, in its thread. Call ``check`` several times per second, from any thread: most endings
    are noticed at once, but not those within a ``learn`` that the user overrides.
    """

    def __init__(self, model: BaseAlgorithm, callback: BaseCallback, on_end: Callable[[BaseException | None], None]):
        self._on_end = on_end
        self._pid, self._thread_id = os.getpid(), threading.get_ident()
        self._frames = list(_frames_of_learn(model))  # innermost first
        self._error: BaseException | None = None
        self._has_ended = self._training_ended = False
        self._looks = 0
        self._lock = threading.RLock()
        self._root = _root_of(callback, self._frames)
        called = {name for frame in self._frames for name in frame.f_code.co_names} - {"learn"}
        self._owners = [one for one in (model, self._root) if one is not None]
        for one in self._owners:
            _watch_calls(one, called, self)

    def check(self, *, is_last: bool = False, wait: bool = True) -> None:
        """Report the end if ``learn`` has ended. ``is_last``: no further check follows. Without ``wait``, do nothing
        while another thread checks."""
        if self._is_forked or not self._lock.acquire(blocking=wait):
            return
        try:
            if not self._has_ended and self._frames:
                self._find_end(is_last)
        finally:
            self._lock.release()

    @property
    def _is_forked(self) -> bool:
        """Return whether this process is a fork of the one that learns, in which the lock may never be released."""
        return self._pid != os.getpid()

    @property
    def is_learning(self) -> bool:
        """Whether ``learn`` is running. False if the watch was not created within ``learn``."""
        return bool(self._frames)

    def callback_ended(self) -> None:
        """Note that the callback has received the end of training. Others may receive it later."""
        if not self._frames:
            self.training_ended()

    def training_ended(self) -> None:
        """Note that all callbacks have received the end of training, and none has raised."""
        if self._is_forked:
            return
        with self._lock:
            self._training_ended, self._error = True, None
            names = [str(frame.f_globals.get("__name__")) for frame in self._frames]
            if all(name.split(".")[0] in _KNOWN for name in names):
                self._report_end(None)

    def close(self) -> None:
        """Restore the model and its callbacks."""
        if self._is_forked:
            return
        with self._lock:
            self._has_ended = True
            self._frames, self._error = [], None
            for one in self._owners:
                _unwatch_calls(one, self)
            self._owners = []

    def called(self, caller: FrameType | None) -> None:
        """Note that ``caller`` calls a watched method: if it is ``learn``, it continues despite earlier exceptions."""
        if caller in self._frames:
            self._error = None

    def returned(self, owner: object, name: str, caller: FrameType | None) -> None:
        """Note that method ``name`` of ``owner``, called by ``caller``, has returned."""
        if owner is self._root and name == "on_training_end" and caller in self._frames:
            self.training_ended()

    def raised(self, error: BaseException, caller: FrameType | None) -> None:
        """Note that ``error`` leaves a method that ``caller`` called."""
        if self._is_forked:
            return
        with self._lock:
            if self._has_ended or caller is None or caller not in self._frames:
                return
            self._error = error
            if not caller.f_code.co_exceptiontable:  # no handler there
                self._report_end(error)

    def _find_end(self, is_last: bool) -> None:
        running = set(map(id, _stack(self._thread_id)))
        for frame in self._frames:
            if id(frame) in running:
                return
            if self._was_left_by_error(frame):
                self._looks += 1
                error = self._error or _exception_that_left(frame, self._thread_id)
                if error is not None or is_last or self._looks >= _MOST_LOOKS:
                    self._report_end(error or UnseenError(_place(frame)))
                return
        self._report_end(None)

    def _was_left_by_error(self, frame: FrameType) -> bool:
        if _frames_keep_last_instruction():
            return not _is_at_return(frame)
        return self._error is not None or not self._training_ended

    def _report_end(self, error: BaseException | None) -> None:
        self.close()
        self._on_end(error)


def _frames_of_learn(model: BaseAlgorithm) -> Iterator[FrameType]:
    for frame in _stack(threading.get_ident()):
        code = frame.f_code
        if code.co_name == "learn" and code.co_argcount and frame.f_locals.get(code.co_varnames[0]) is model:
            yield frame


def _stack(thread_id: int) -> Iterator[FrameType]:
    """Yield the frames of a thread, innermost first; none if it has ended."""
    frame = sys._current_frames().get(thread_id)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _root_of(callback: BaseCallback, frames: list[FrameType]) -> BaseCallback | None:
    """Return the callback that ``learn`` itself calls: ``callback`` or one that contains it."""
    for frame in frames:
        for value in list(frame.f_locals.values()):
            if isinstance(value, BaseCallback) and any(one is callback for one in _within(value)):
                return value
    return None


def _within(callback: Any) -> Iterator[object]:
    """Yield the callback and all callbacks that it contains."""
    waiting, known = [callback], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) not in known:
            known.add(id(one))
            yield one
            held = [*getattr(one, "callbacks", ()), getattr(one, "callback", None)]
            waiting.extend(each for each in held if isinstance(each, BaseCallback))


_watched: dict[int, tuple[object, list[LearnWatch]]] = {}
"""Watched models and callbacks with their watches, by object id."""

_overridden: dict[type, dict[str, object]] = {}
"""By class and name: the original attribute of the class, or _NOTHING."""

_NOTHING = object()
_MARK = "_is_watched_by_rlviz"
_changing = threading.RLock()


def _renew_lock() -> None:
    """Replace the lock in a fork, where no thread could release the old one."""
    global _changing
    _changing = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def _watch_calls(owner: object, names: set[str], watch: LearnWatch) -> None:
    """Report to ``watch`` how the methods ``names`` of ``owner`` end.

    They are overridden in the class while any object of it is watched. Attributes of the model would be saved by
    ``model.save``, and a subclass would change ``type(model)``.
    """
    kind = type(owner)
    with _changing:
        _watched.setdefault(id(owner), (owner, []))[1].append(watch)
        overridden = _overridden.setdefault(kind, {})
        for name in names - overridden.keys():
            method = getattr_static(kind, name, None)
            if isinstance(method, FunctionType):  # no property, and no static or class method
                with suppress(Exception):
                    before = vars(kind).get(name, _NOTHING)
                    setattr(kind, name, _watched_method(name, method))
                    overridden[name] = before


def _unwatch_calls(owner: object, watch: LearnWatch) -> None:
    kind = type(owner)
    with _changing:
        _, watches = _watched.get(id(owner), (owner, []))
        if watch in watches:
            watches.remove(watch)
        if not watches:
            _watched.pop(id(owner), None)
        if any(type(other) is kind for other, _ in _watched.values()):
            return
        for name, before in _overridden.pop(kind, {}).items():
            if hasattr(vars(kind).get(name), _MARK):  # otherwise the program has overridden it
                with suppress(Exception):
                    delattr(kind, name) if before is _NOTHING else setattr(kind, name, before)


def _watched_method(name: str, method: Any) -> Callable[..., Any]:
    @wraps(method)
    def call(*arguments: Any, **options: Any) -> Any:
        return _call(name, method, arguments, options)

    setattr(call, _MARK, True)
    return call


def _call(name: str, method: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call a watched method and report to the watches of its object how it ends."""
    found = _watched.get(id(arguments[0])) if arguments else None
    if found is None:
        return method(*arguments, **options)
    watches = tuple(found[1])
    caller = sys._getframe(2)
    for watch in watches:
        with suppress(Exception):
            watch.called(caller)
    try:
        result = method(*arguments, **options)
    except BaseException as error:
        for watch in watches:
            with suppress(Exception):
                watch.raised(error, caller)
        raise
    for watch in watches:
        with suppress(Exception):
            watch.returned(arguments[0], name, caller)
    return result


def _is_at_return(frame: FrameType) -> bool:
    """Return whether the ended ``frame`` has returned normally."""
    code, place = frame.f_code.co_code, frame.f_lasti
    return 0 <= place < len(code) and dis.opname[code[place]].startswith("RETURN_")


@cache
def _frames_keep_last_instruction() -> bool:
    """Return whether this interpreter keeps the last instruction of an ended frame, an implementation detail."""
    kept: list[FrameType] = []

    def ends(error: Exception | None) -> int:
        kept.append(sys._getframe())
        if error is not None:
            raise error
        return len(kept)

    ends(None)
    with suppress(LookupError):
        ends(LookupError())
    return [_is_at_return(frame) for frame in kept] == [True, False]


def _exception_that_left(frame: FrameType, thread_id: int) -> BaseException | None:
    """Return the exception that left ``frame``, if the program is handling it or has ended with it."""
    handled: Any = sys._current_exceptions().get(thread_id)
    known = [handled[1] if isinstance(handled, tuple) else handled, getattr(sys, "last_value", None)]
    for found in known:
        for _ in range(20):
            if not isinstance(found, BaseException):
                break
            trace = found.__traceback__
            while trace is not None:
                if trace.tb_frame is frame:
                    return found
                trace = trace.tb_next
            found = found.__cause__ or found.__context__
    return None


def _place(frame: FrameType) -> str:
    return (
        f"learn() ended with an exception in line {frame.f_lineno} of {frame.f_code.co_filename}, which the program "
        "handled before it could be read."
    )


class SpecQuestion:
    """``isinstance(env, SpecQuestion())``: ``env.spec`` is there and can be pickled.

    Only the first environment counts: the library then continues with the wrapped ones.
    """

    def __init__(self) -> None:
        self._is_answered = False

    def __instancecheck__(self, env: object) -> bool:
        if self._is_answered:
            return False
        self._is_answered = True
        try:
            spec = getattr(env, "spec", None)
            pickle.dumps(spec)
        except Exception:
            return False
        return spec is not None
