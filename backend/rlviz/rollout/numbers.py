"""Elements of Gymnasium spaces as numbers and hashes. Only workers import this."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from gymnasium import Space, spaces
from numpy.typing import NDArray

from rlviz.analysis.pictures import is_picture
from rlviz.domain.space_layout import MOST_NUMBERS, SpaceLayout

HASH_BYTES = 16


def layout_of(space: Space[Any], key: str | None = None) -> SpaceLayout:
    """Pictures, long arrays, and elements without a fixed size (text, graphs) are hashed."""
    match space:
        case spaces.Dict():
            return _composed("Dict", [layout_of(part, name) for name, part in space.spaces.items()], key)
        case spaces.Tuple():
            return _composed("Tuple", [layout_of(part) for part in space.spaces], key)
        case spaces.Box() if _is_listed(space):
            low, high = space.low.ravel().tolist(), space.high.ravel().tolist()
            return _leaf(space, key, low=low, high=high)
        case spaces.Discrete():
            return _leaf(space, key, counts=[int(space.n)], starts=[int(space.start)])
        case spaces.MultiDiscrete() if space.nvec.size <= MOST_NUMBERS:
            return _leaf(space, key, counts=space.nvec.ravel().tolist(), starts=space.start.ravel().tolist())
        case spaces.MultiBinary() if np.prod(space.shape, dtype=int) <= MOST_NUMBERS:
            return _leaf(space, key)
    return SpaceLayout(kind=type(space).__name__, key=key, shape=space.shape or (), dtype=str(space.dtype or "object"))


def numbers_of(layout: SpaceLayout, element: Any) -> NDArray[Any]:
    """The numbers of ``element`` that are stored: a copy, shape (``layout.numbers``,)."""
    if not layout.parts:
        return np.array(element, dtype=layout.dtype).reshape(-1) if layout.numbers else np.empty(0)
    kept = [numbers_of(part, value) for part, value in _parts(layout, element) if part.numbers]
    return np.concatenate(kept).astype(layout.dtype) if kept else np.empty(0)


def numbers_of_each(layout: SpaceLayout, elements: Sequence[Any]) -> list[NDArray[Any]]:
    """``numbers_of`` each of ``elements``; where they are arrays or numbers, as rows of one array."""
    if layout.parts or not layout.numbers or not elements:
        return [numbers_of(layout, element) for element in elements]
    return list(np.array(elements, dtype=layout.dtype).reshape(len(elements), -1))


def hash_of(layout: SpaceLayout, element: Any) -> bytes | None:
    """BLAKE2b hash of all parts that are not in ``numbers_of``; None if there are none."""
    if not layout.is_hashed:
        return None
    digest = blake2b(digest_size=HASH_BYTES)
    for part in _hashed(layout, element):
        digest.update(np.ascontiguousarray(part).data if isinstance(part, np.ndarray) else repr(part).encode())
    return digest.digest()


def digest_of(array: NDArray[Any]) -> bytes:
    """BLAKE2b hash of the bytes of ``array`` in C order: of a frame, row by row. Releases the interpreter lock."""
    return blake2b(np.ascontiguousarray(array).data, digest_size=HASH_BYTES).digest()


def _is_listed(space: spaces.Box) -> bool:
    return not is_picture(space.shape, space.dtype) and np.prod(space.shape, dtype=int) <= MOST_NUMBERS


def _leaf(space: Space[Any], key: str | None, **facts: Any) -> SpaceLayout:
    shape = tuple(space.shape or ())
    numbers = int(np.prod(shape, dtype=int))
    return SpaceLayout(
        kind=type(space).__name__, key=key, shape=shape, dtype=str(space.dtype), numbers=numbers, **facts
    )


def _composed(kind: str, parts: list[SpaceLayout], key: str | None) -> SpaceLayout:
    return SpaceLayout(kind=kind, key=key, parts=tuple(parts), numbers=sum(part.numbers for part in parts))


def _parts(layout: SpaceLayout, element: Any) -> Iterator[tuple[SpaceLayout, Any]]:
    values = (element[part.key] for part in layout.parts) if layout.kind == "Dict" else element
    return zip(layout.parts, values, strict=True)


def _hashed(layout: SpaceLayout, element: Any) -> Iterator[Any]:
    if layout.parts:
        for part, value in _parts(layout, element):
            yield from _hashed(part, value)
    elif not layout.numbers:
        yield element
