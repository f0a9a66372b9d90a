"""How ``learn`` of a Stable-Baselines3 model ends: the library tells callbacks of its normal end alone.

Python knows better. ``learn`` runs in a frame of the stack; when that frame is gone, ``learn`` has ended, and the
instruction at which the frame ended is a ``return`` or the call that raised. The exception itself is seen as it passes
what ``learn`` calls: methods of the model, and the end of training of its callbacks.
"""

from __future__ import annotations

import dis
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, wraps
from types import FrameType, FunctionType
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback

ON_END = "on_training_end"

_WATCHES = "_rlviz_watches"

_KNOWN = ("stable_baselines3", "sb3_contrib")
"""Packages whose ``learn`` does nothing after the end of training of its callbacks but return."""

_MOST_LOOKS = 3
"""An exception that was not seen on its way is looked for so often before the end is told without it."""


class UnseenError(Exception):
    """``learn`` was left by an exception that this program handled before it could be read."""


class LearnWatch:
    """Calls ``on_end`` once ``learn`` has ended: with None, or with the exception that it was left by.

    Made within ``learn``, in its thread. ``check`` is for any thread, and should be called several times a second: most
    endings are told at once, but not those within a ``learn`` of the user's own.
    """

    def __init__(self, model: BaseAlgorithm, callback: BaseCallback, on_end: Callable[[BaseException | None], None]):
        self._model, self._callback, self._on_end = model, callback, on_end
        self._thread_id = threading.get_ident()
        self._frames = list(_frames_of_learn(model))  # innermost first
        self._error: BaseException | None = None
        self._has_ended = self._training_ended = False
        self._looks = 0
        self._lock = threading.RLock()
        self._root = _root_of(callback, self._frames)
        with suppress(Exception):
            _watch_methods(model, self, {name for frame in self._frames for name in frame.f_code.co_names})
        if self._root is not None and self._root is not callback:
            with suppress(Exception):
                _watch_end(self._root, self)

    def check(self, *, is_last: bool = False, wait: bool = True) -> None:
        """Tell the end if it has come. ``is_last``: there will be no further check. Without ``wait``, do nothing while
        another thread checks."""
        if not self._lock.acquire(blocking=wait):
            return
        try:
            if not self._has_ended and self._frames:
                self._look(is_last)
        finally:
            self._lock.release()

    @property
    def is_learning(self) -> bool:
        """Whether ``learn`` has not ended. False if this was not made within ``learn``."""
        return bool(self._frames)

    def callback_ended(self) -> None:
        """The callback has been told that training has ended. Others may be told after it."""
        if self._root is self._callback or not self._frames:
            self.training_ended()

    def training_ended(self) -> None:
        """The callbacks have been told that training has ended, and none of them has raised."""
        with self._lock:
            self._training_ended, self._error = True, None
            names = [str(frame.f_globals.get("__name__")) for frame in self._frames]
            if all(name.split(".")[0] in _KNOWN for name in names):
                self._tell(None)

    def close(self) -> None:
        """Leave the model and its callbacks as they were."""
        with self._lock:
            self._has_ended = True
            self._frames, self._error = [], None
            with suppress(Exception):
                _unwatch_methods(self._model, self)
            if self._root is not None:
                with suppress(Exception):
                    _unwatch_end(self._root, self)

    def calls(self, caller: FrameType | None) -> None:
        """``caller`` calls something that is watched: if that is ``learn``, it goes on whatever was raised before."""
        if caller in self._frames:
            self._error = None

    def raised(self, error: BaseException, caller: FrameType | None) -> None:
        """``error`` leaves something that ``caller`` has called."""
        with self._lock:
            if self._has_ended or caller is None or caller not in self._frames:
                return
            self._error = error
            if not caller.f_code.co_exceptiontable:  # nothing there can handle it
                self._tell(error)

    def _look(self, is_last: bool) -> None:
        running = set(map(id, _stack(self._thread_id)))
        for frame in self._frames:
            if id(frame) in running:
                return
            if self._was_left_by_error(frame):
                self._looks += 1
                error = self._error or _exception_that_left(frame, self._thread_id)
                if error is not None or is_last or self._looks >= _MOST_LOOKS:
                    self._tell(error or UnseenError(_place(frame)))
                return
        self._tell(None)

    def _was_left_by_error(self, frame: FrameType) -> bool:
        if _frames_tell_how_they_ended():
            return not _is_at_return(frame)
        return self._error is not None or not self._training_ended

    def _tell(self, error: BaseException | None) -> None:
        self.close()
        self._on_end(error)


def _frames_of_learn(model: BaseAlgorithm) -> Iterator[FrameType]:
    for frame in _stack(threading.get_ident()):
        code = frame.f_code
        if code.co_name == "learn" and code.co_argcount and frame.f_locals.get(code.co_varnames[0]) is model:
            yield frame


def _stack(thread_id: int) -> Iterator[FrameType]:
    """The frames of a thread, innermost first; none if it has ended."""
    frame = sys._current_frames().get(thread_id)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _root_of(callback: BaseCallback, frames: list[FrameType]) -> BaseCallback | None:
    """The callback that ``learn`` itself calls: ``callback``, or one that holds it."""
    for frame in frames:
        for value in list(frame.f_locals.values()):
            if isinstance(value, BaseCallback) and any(one is callback for one in _within(value)):
                return value
    return None


def _within(callback: Any) -> Iterator[object]:
    """The callback and all those that it holds, as the library's classes hold them."""
    waiting, known = [callback], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) not in known:
            known.add(id(one))
            yield one
            held = [*getattr(one, "callbacks", ()), getattr(one, "callback", None)]
            waiting.extend(each for each in held if isinstance(each, BaseCallback))


def _watch_methods(model: BaseAlgorithm, watch: LearnWatch, names: set[str]) -> None:
    """Have ``watch`` see what the methods ``names`` of ``model`` raise.

    They are overridden in a class of the model's own, and not in its attributes, which ``model.save`` would write. It
    passes for the model's class but with ``type``: it has the same name, and is pickled and copied as that.
    """
    kind = type(model)
    if (watches := vars(kind).get(_WATCHES)) is not None:  # by another callback of the same model
        watches.append(watch)
        return
    watches = [watch]

    def watched(method: Any) -> Callable[..., Any]:
        @wraps(method)
        def call(*arguments: Any, **options: Any) -> Any:
            caller = sys._getframe(1)
            for one in (*watches,):
                one.calls(caller)
            try:
                return method(*arguments, **options)
            except BaseException as error:
                for one in (*watches,):
                    one.raised(error, caller)
                raise

        return call

    def reduce(self: Any, protocol: Any) -> Any:
        reduced = kind.__reduce_ex__(self, protocol)
        if not isinstance(reduced, tuple):
            return reduced
        made_of = tuple(kind if one is own else one for one in reduced[1])
        return (reduced[0], made_of, *reduced[2:])

    found = {name: getattr(kind, name, None) for name in names - {"learn"}}
    methods = {name: watched(method) for name, method in found.items() if isinstance(method, FunctionType)}
    own: type = type(
        kind.__name__,
        (kind,),
        {
            **methods,
            "__module__": kind.__module__,
            "__qualname__": kind.__qualname__,
            "__doc__": kind.__doc__,
            "__class__": property(lambda _self: kind),
            "__reduce_ex__": reduce,
            _WATCHES: watches,
        },
    )
    model.__class__ = own


def _unwatch_methods(model: BaseAlgorithm, watch: LearnWatch) -> None:
    kind = type(model)
    watches = vars(kind).get(_WATCHES)
    if watches is None:
        return
    if watch in watches:
        watches.remove(watch)
    if not watches:
        set_class = vars(object)["__class__"].__set__  # the property of the model's own class cannot be set
        set_class(model, kind.__mro__[1])


def _watch_end(root: BaseCallback, watch: LearnWatch) -> None:
    """Have ``watch`` see how the end of training of ``root``, and so of all that it holds, goes."""
    known = vars(root).get(ON_END)
    if (watches := getattr(known, _WATCHES, None)) is not None:
        watches.append(watch)
        return
    if known is not None:  # it is not ours to replace
        return
    watches = [watch]

    def on_training_end() -> None:
        caller = sys._getframe(1)
        try:
            type(root).on_training_end(root)
        except BaseException as error:
            for one in (*watches,):
                one.raised(error, caller)
            raise
        for one in (*watches,):
            one.training_ended()

    setattr(on_training_end, _WATCHES, watches)
    setattr(root, ON_END, on_training_end)


def _unwatch_end(root: BaseCallback, watch: LearnWatch) -> None:
    watches = getattr(vars(root).get(ON_END), _WATCHES, None)
    if watches is None:
        return
    if watch in watches:
        watches.remove(watch)
    if not watches:
        delattr(root, ON_END)


def _is_at_return(frame: FrameType) -> bool:
    """Whether ``frame``, which has ended, has returned."""
    code, place = frame.f_code.co_code, frame.f_lasti
    return 0 <= place < len(code) and dis.opname[code[place]].startswith("RETURN_")


@cache
def _frames_tell_how_they_ended() -> bool:
    """Whether this interpreter keeps the place at which a frame has ended, which is a detail of it."""
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
    """The exception by which ``frame`` was left, if this program handles it now, or has ended by it."""
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
        f"learn() was left by an exception in line {frame.f_lineno} of {frame.f_code.co_filename}, which the program "
        "handled before it could be read."
    )
