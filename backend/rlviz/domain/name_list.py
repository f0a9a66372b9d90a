"""Several names in one text, separated by commas. A name may have any characters in it."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ESCAPED = re.compile(r"\\([\\, ])")
_TO_ESCAPE = re.compile(r"\\(?=[\\, ])|\\\Z|,|^ | \Z")
_PIECES = re.compile(r"((?:\\[\\, ]|[^,])*)(?:,|\Z)")


def split_names(text: str) -> list[str]:
    r"""Return the names in ``text`` without repetitions, in their order.

    Spaces around a name count only as ``\ ``; a comma within one is ``\,`` and a backslash before one of these ``\\``.
    """
    pieces = (match[1] for match in _PIECES.finditer(text))
    names = (_ESCAPED.sub(r"\1", _stripped(piece)) for piece in pieces)
    return list(dict.fromkeys(filter(None, names)))


def join_names(names: Iterable[str]) -> str:
    """Return names as ``split_names`` reads them."""
    return ",".join(_TO_ESCAPE.sub(lambda match: f"\\{match[0]}", name) for name in names)


def _stripped(piece: str) -> str:
    """Return a piece without spaces around it, but for an escaped one at its end."""
    bare = piece.strip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return f"{bare} " if backslashes % 2 and piece.endswith(" ") else bare
