"""Where two values differ that were read from pickles: two arrays, two generators, or whatever an environment holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np
import torch

_IDENTITIES = (type, FunctionType, BuiltinFunctionType, ModuleType)
"""Pickled by their names, so that there is one of each."""

SHOWN = 60
"""Characters of a value."""


def first_difference(was: Any, now: Any) -> str | None:
    """Where ``now`` is not, to the last bit, what ``was`` is, and both values there; None: nowhere."""
    return next(_differences(was, now, "", set()), None)


def _differences(was: Any, now: Any, path: str, seen: set[tuple[int, int]]) -> Iterator[str]:
    if was is now or (id(was), id(now)) in seen:
        return
    if type(was) is not type(now):
        yield _said(path, type(was).__name__, type(now).__name__)
    elif isinstance(was, torch.Tensor):
        yield from _differences(was.detach().numpy(), now.detach().numpy(), path, seen)
    elif isinstance(was, np.ndarray):
        yield from _of_arrays(was, now, path, seen)
    elif isinstance(was, float | np.generic):
        if np.asarray(was).tobytes() != np.asarray(now).tobytes():  # which tells 0.0 from -0.0, and not NaN from NaN
            yield _said(path, was, now)
    elif was is None or isinstance(was, bool | int | complex | str | bytes | bytearray | set | frozenset | range):
        if was != now:
            yield _said(path, was, now)
    elif isinstance(was, _IDENTITIES):
        yield _said(path, was, now)
    else:
        seen.add((id(was), id(now)))  # an environment may refer to itself
        yield from _of_containers(was, now, path, seen)


def _of_arrays(was: np.ndarray[Any, Any], now: np.ndarray[Any, Any], path: str, seen: set[tuple[int, int]]) -> Any:
    if (was.shape, was.dtype) != (now.shape, now.dtype):
        yield _said(path, f"{was.dtype} {was.shape}", f"{now.dtype} {now.shape}")
    elif was.dtype.hasobject:
        yield from _of_items(enumerate(was.flat), list(now.flat), path, seen)
    elif was.tobytes() != now.tobytes():
        for place in np.ndindex(was.shape):
            if was[place].tobytes() != now[place].tobytes():
                where = "".join(f"[{index}]" for index in place)
                yield _said(f"{path}{where}", was[place], now[place])
                return


def _of_containers(was: Any, now: Any, path: str, seen: set[tuple[int, int]]) -> Iterator[str]:
    if isinstance(was, dict):
        if was.keys() != now.keys():
            yield _said(path, f"has {_names(was.keys() - now.keys())}", f"has {_names(now.keys() - was.keys())}")
        else:
            yield from _of_items(was.items(), now, path, seen)
    elif isinstance(was, list | tuple):
        if len(was) != len(now):
            yield _said(path, f"{len(was)} values", f"{len(now)} values")
        else:
            yield from _of_items(enumerate(was), now, path, seen)
    else:
        yield from _of_objects(was, now, path, seen)


def _of_objects(was: Any, now: Any, path: str, seen: set[tuple[int, int]]) -> Iterator[str]:
    """Compared by what pickling would keep of them."""
    for one, other in zip(_kept(was), _kept(now), strict=True):
        yield from _differences(one, other, path, seen)


def _kept(value: Any) -> list[Any]:
    """The arguments it is made with, its state, its items if it is a list, and its pairs if it is a dictionary."""
    kept = value.__reduce_ex__(4)
    if isinstance(kept, str):  # its name in its module
        return [kept, None, None, None]
    _, arguments, state, items, pairs = (*kept, None, None, None)[:5]
    return [arguments, state, items and list(items), pairs and list(pairs)]


def _of_items(was: Iterable[tuple[Any, Any]], now: Any, path: str, seen: set[tuple[int, int]]) -> Iterator[str]:
    for key, value in was:
        step = f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{key!r}]"
        yield from _differences(value, now[key], f"{path}{step}", seen)


def _names(keys: Iterable[Any]) -> str:
    return ", ".join(sorted(map(str, keys))) or "nothing else"


def _said(path: str, was: Any, now: Any) -> str:
    return f"{path.removeprefix('.') or 'all of it'}: {str(was)[:SHOWN]} in the file, {str(now)[:SHOWN]} restored"
