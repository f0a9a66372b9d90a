"""How names of metrics and settings are written for other programs, and read back.

Each target refuses some names, keeps some for itself, or changes some silently. ``Naming`` escapes what a target does
not take: two names never become one there, and an escaped name says which name it stands for. Of a name that is too
long the end is replaced by a digest.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from itertools import chain, count
from typing import NamedTuple

from rlviz.domain.plain_text import encodable

_DIGEST_DIGITS = 12


UNNAMED = "unnamed"
"""What a metric without a name is called."""
_UNNAMED = re.compile(rf"{UNNAMED}(_*)")


class Escapes(NamedTuple):
    """How one kind of character is written: ``decode(encode(name)) == name`` for every name."""

    encode: Callable[[str], str]
    decode: Callable[[str], str]


@dataclass(frozen=True)
class Naming:
    """The names that one target takes.

    ``target``: what it is called in sentences. ``reserved``: names that have a meaning of their own there; those of
    metrics get an underscore behind them. ``most``: characters of a name.
    """

    target: str
    escapes: Escapes
    reserved: tuple[str, ...] = ()
    most: int | None = None
    _reserved: re.Pattern[str] | None = field(init=False, default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.reserved:
            pattern = re.compile(f"(?:{'|'.join(map(re.escape, self.reserved))})(_*)", re.DOTALL)
            object.__setattr__(self, "_reserved", pattern)

    def encode(self, name: str) -> str:
        """Return the name that ``name`` has there. No target takes an empty one."""
        there = self.escapes.encode(name)
        if there == "" or _UNNAMED.fullmatch(there):
            there = f"{there}_" if there else UNNAMED
        if self._reserved is not None and self._reserved.fullmatch(there):
            there += "_"
        return there if self.most is None else shortened(there, self.most)

    def decode(self, there: str) -> str:
        """Return the name that is called ``there``, unless that was shortened."""
        if self._reserved is not None and (match := self._reserved.fullmatch(there)) and match[1]:
            there = there[:-1]
        if match := _UNNAMED.fullmatch(there):
            there = there[:-1] if match[1] else ""
        return self.escapes.decode(there)

    def renamed(self, names: Iterable[str]) -> dict[str, str]:
        """Return those of ``names`` that are called something else there, with what they are called."""
        return {name: there for name in names if (there := self.encode(name)) != name}


def renames_text(renamed: dict[str, str], target: str) -> str:
    """Return the sentence that says what names are written as in ``target``, where that is something else."""
    pairs = [f"{_shown(name)} is {_shown(there)}" for name, there in list(renamed.items())[:_MOST_SHOWN]]
    more = f", and {len(renamed) - len(pairs):,} more" if len(renamed) > len(pairs) else ""
    return f"{target} has other names for some metrics: {', '.join(pairs)}{more}."


_MOST_SHOWN = 5
_LONGEST_SHOWN = 60


def _shown(name: str) -> str:
    """On one line, with its beginning and its end."""
    return repr(name if len(name) <= _LONGEST_SHOWN else f"{name[: _LONGEST_SHOWN - 20]}…{name[-20:]}")


def shortened(name: str, most: int) -> str:
    """Return ``name`` if it has at most ``most`` characters; else its beginning and a digest of all of it."""
    if len(name) <= most:
        return name
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:_DIGEST_DIGITS]
    return f"{name[: most - _DIGEST_DIGITS - 1]}-{digest}"


def distinct(name: str, taken: Container[str | None]) -> str:
    """Return ``name``, or if that is ``taken``, the first of ``name (2)``, ``name (3)``, … that is not."""
    copies = (f"{name} ({number})" for number in count(2))
    return next(one for one in chain([name], copies) if one not in taken)


def backslashed(characters: str, also: str = "(?!)") -> Escapes:
    r"""Return escapes as Python writes them, ``\x00`` or ``\ud800``, for a class of characters of a regular expression,
    and for a character that ``also`` matches."""
    no_text = re.compile(rf"[{characters}]|\\(?=x[0-9a-f]{{2}}|u[0-9a-f]{{4}})|{also}")
    escaped = re.compile(r"\\x([0-9a-f]{2})|\\u([0-9a-f]{4})")

    def encode(match: re.Match[str]) -> str:
        code = ord(match[0])
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

    return Escapes(
        lambda name: no_text.sub(encode, name),
        lambda there: escaped.sub(lambda match: chr(int(match[1] or match[2], 16)), there),
    )


_HALVES = "\ud800-\udfff"
"""Of characters, which no encoding has."""
_CONTROL = rf"\x00-\x1f\x7f-\x9f{_HALVES}"

PLAIN = Escapes(lambda name: name, lambda there: there)
NO_NUL = backslashed(rf"\x00{_HALVES}")
PRINTABLE = backslashed(_CONTROL)


# MLflow: letters, digits and _ - . : / and spaces, and it takes a name for a path.

_IN_NO_PATH = re.compile(r"[^\w\-. /:]|_(?=0x[0-9A-F])|(?:^|(?<=/))/|/\Z|^\.(?=\.)|(?:^|(?<=/))\.{1,2}(?=/|\Z)")
_IN_PATH = re.compile(r"_0x([0-9A-F]+)_")


def _underscored(match: re.Match[str]) -> str:
    return "".join(f"_0x{ord(character):X}_" for character in match[0])


PATH = Escapes(
    lambda name: _IN_NO_PATH.sub(_underscored, name),
    lambda there: _IN_PATH.sub(lambda match: chr(int(match[1], 16)), there),
)
"""For instance ``_0x3F_`` for a question mark; also slashes and dots by which a path would be another one."""


MAX_NAME_CHARACTERS = 200
"""Of a metric in a run."""


def recorded_name(name: str) -> str:
    """Return the name of a metric in a journal. One that a journal has is left as it is, so two may become one here:
    whoever records them keeps them ``distinct``."""
    return shortened(encodable(name) or UNNAMED, MAX_NAME_CHARACTERS)


LIBRARY = Naming("The library", PLAIN, ("step", "time"))
TABLES = Naming(
    "A table",
    backslashed(_CONTROL, also=r"^[ \ufeff]|[ \ufeff]\Z"),  # what programs strip from the names of columns
    ("seq", "time", "step"),
)
TENSORBOARD = Naming("TensorBoard", PRINTABLE)
TRACKIO = Naming(
    "Trackio",
    backslashed(_CONTROL, also="^_(?=_)"),  # two underscores mark what it keeps for itself
    ("project", "run", "timestamp", "step", "time", "metrics"),
)
WANDB = Naming("Weights & Biases", PRINTABLE, ("global_step", "_step", "_runtime", "_timestamp", "_wandb"))
MLFLOW = Naming("MLflow", PATH, most=250)
POSTGRES = Naming("PostgreSQL", NO_NUL)
"""Targets, each with the way in which it takes names."""
