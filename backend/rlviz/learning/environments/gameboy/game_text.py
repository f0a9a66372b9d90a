"""Writes the content of a ``game.toml`` as text. Importing this does not import PyBoy or Gymnasium."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rlviz.domain.games import GameCell, Tap
from rlviz.learning.environments.gameboy.game_file import GameFile

_TABLES = {"taps", "cell", "components"}
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_COMMENT = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|' r"'''.*?'{3,5}|" r'"(?:\\.|[^"\\\n])*"|' r"'[^'\n]*'|" r"(?P<comment>#[^\n]*)",
    re.DOTALL,
)


def comments_of(text: str) -> list[str]:
    """Return the comments of a TOML file."""
    return [found["comment"] for found in _COMMENT.finditer(text) if found["comment"] is not None]


def as_toml(content: Mapping[str, Any]) -> str:
    """Return the text of a ``game.toml``: keys in the order of the documentation, keys without a value left out.

    ``content`` is JSON and may be invalid: what it says is written as it is, so that checking the text finds it.
    """
    lines = list(_pairs(content, list(GameFile.model_fields), without=_TABLES))
    taps, cell, components = (content.get(name) for name in ("taps", "cell", "components"))
    if isinstance(taps, Sequence) and all(isinstance(tap, Mapping) for tap in taps):
        for tap in taps:
            lines += ["", "[[taps]]", *_pairs(tap, list(Tap.model_fields))]
    elif taps is not None:
        lines.append(_pair("taps", taps))
    for name, table, order in (("cell", cell, list(GameCell.model_fields)), ("components", components, [])):
        if isinstance(table, Mapping):
            if any(value is not None for value in table.values()):
                lines += ["", f"[{name}]", *_pairs(table, order)]
        elif table is not None:
            lines.insert(0, _pair(name, table))
    return "\n".join(lines) + "\n"


def _pairs(
    table: Mapping[str, Any], order: Sequence[str], without: frozenset[str] | set[str] = frozenset()
) -> Iterator[str]:
    known = [name for name in order if name in table]
    for name in (*known, *(name for name in table if name not in order)):
        if name not in without and table[name] is not None:
            yield _pair(name, table[name])


def _pair(name: str, value: Any) -> str:
    key = name if _BARE.fullmatch(name) else _text(name)
    is_address = name == "address" and type(value) is int and value >= 0
    return f"{key} = {f'0x{value:04X}' if is_address else _value(value)}"


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return repr(value) if math.isfinite(value) else str(value)
        case str():
            return _text(value)
        case Mapping():
            return "{ " + ", ".join(_pair(name, one) for name, one in value.items() if one is not None) + " }"
        case Sequence():
            return "[" + ", ".join(_value(one) for one in value if one is not None) + "]"
    return _text(str(value))  # a date


def _text(text: str) -> str:
    """Return a basic string: JSON's escapes are TOML's. Halves of surrogate pairs, which TOML forbids, become "?"."""
    known = text.encode("utf-8", "replace").decode()
    return json.dumps(known, ensure_ascii=False).replace("\x7f", "\\u007f")
