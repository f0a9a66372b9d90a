"""Names of metrics and settings in other programs: how to write them, and how to read them back.

Each target rejects, reserves or silently changes some names. ``Naming`` escapes them so that two names never collide
and an escaped name can be decoded. Too long names end in a digest.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from itertools import chain, count
from typing import NamedTuple

from rlviz.domain.plain_text import escape_surrogates

_DIGEST_DIGITS = 12


UNNAMED = "unnamed"
"""Replacement for an empty metric name."""
_UNNAMED = re.compile(rf"{UNNAMED}(_*)")


class Escapes(NamedTuple):
    """How one kind of character is escaped: ``decode(encode(name)) == name`` for every name."""

    encode: Callable[[str], str]
    decode: Callable[[str], str]


@dataclass(frozen=True)
class Naming:
    """The names that one target accepts.

    Attributes:
        target: The target's name in sentences.
        escapes: How to write the characters that it does not accept.
        reserved: Names with a special meaning there; metrics with these names get an underscore appended.
        most: Maximum characters of a name; None for no limit.
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
        """Return the target's form of ``name``; an empty name gets a replacement."""
        there = self.escapes.encode(name)
        if there == "" or _UNNAMED.fullmatch(there):
            there = f"{there}_" if there else UNNAMED
        if self._reserved is not None and self._reserved.fullmatch(there):
            there += "_"
        return there if self.most is None else shorten_name(there, self.most)

    def decode(self, there: str) -> str:
        """Return the original of the target's name ``there``, unless it was shortened."""
        if self._reserved is not None and (match := self._reserved.fullmatch(there)) and match[1]:
            there = there[:-1]
        if match := _UNNAMED.fullmatch(there):
            there = there[:-1] if match[1] else ""
        return self.escapes.decode(there)

    def renamed(self, names: Iterable[str]) -> dict[str, str]:
        """Return those ``names`` that the target writes differently, with their names there."""
        return {name: there for name in names if (there := self.encode(name)) != name}


def renames_text(renamed: dict[str, str], target: str) -> str:
    """Return a sentence that lists the names ``target`` writes differently; empty if there are none."""
    pairs = [f"{_shown(name)} is {_shown(there)}" for name, there in list(renamed.items())[:_MOST_SHOWN]]
    more = f", and {len(renamed) - len(pairs):,} more" if len(renamed) > len(pairs) else ""
    return f"{target} uses other names for some metrics: {', '.join(pairs)}{more}."


_MOST_SHOWN = 5
_LONGEST_SHOWN = 60


def _shown(name: str) -> str:
    """Return the name on one line, shortened in the middle."""
    return repr(name if len(name) <= _LONGEST_SHOWN else f"{name[: _LONGEST_SHOWN - 20]}…{name[-20:]}")


def shorten_name(name: str, most: int) -> str:
    """Return ``name`` if it has at most ``most`` characters; otherwise its beginning and a digest."""
    if len(name) <= most:
        return name
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:_DIGEST_DIGITS]
    return f"{name[: most - _DIGEST_DIGITS - 1]}-{digest}"


def make_distinct(name: str, taken: Container[str | None]) -> str:
    """Return ``name``, or the first of ``name (2)``, ``name (3)``, … that is not ``taken``."""
    copies = (f"{name} ({number})" for number in count(2))
    return next(one for one in chain([name], copies) if one not in taken)


def backslash_escapes(characters: str, also: str = "(?!)") -> Escapes:
    r"""Return escapes in Python's notation (``\x00``, ``\ud800``).

    Args:
        characters: Class of characters, as a regular expression.
        also: Regular expression of one more character to escape.
    """
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
"""Surrogates, which no encoding can write."""
_CONTROL = rf"\x00-\x1f\x7f-\x9f{_HALVES}"

PLAIN = Escapes(lambda name: name, lambda there: there)
NO_NUL = backslash_escapes(rf"\x00{_HALVES}")
PRINTABLE = backslash_escapes(_CONTROL)


# MLflow accepts letters, digits, _ - . : / and spaces, and treats a name as a path.

_IN_NO_PATH = re.compile(r"[^\w\-. /:]|_(?=0x[0-9A-F])|(?:^|(?<=/))/|/\Z|^\.(?=\.)|(?:^|(?<=/))\.{1,2}(?=/|\Z)")
_IN_PATH = re.compile(r"_0x([0-9A-F]+)_")


def _underscored(match: re.Match[str]) -> str:
    return "".join(f"_0x{ord(character):X}_" for character in match[0])


PATH = Escapes(
    lambda name: _IN_NO_PATH.sub(_underscored, name),
    lambda there: _IN_PATH.sub(lambda match: chr(int(match[1], 16)), there),
)
"""MLflow's escapes, such as ``_0x3F_`` for a question mark; also slashes and dots that would change the path."""


MAX_NAME_CHARACTERS = 200
"""Maximum number of metrics in a run."""


def recorded_name(name: str) -> str:
    """Return the name of a metric in a journal. Names that are already in a journal stay as they are, so two names may
    become one: callers keep them apart with ``make_distinct``."""
    return shorten_name(escape_surrogates(name) or UNNAMED, MAX_NAME_CHARACTERS)


LIBRARY = Naming("The library", PLAIN, ("step", "time"))
TABLES = Naming(
    "A table",
    backslash_escapes(_CONTROL, also=r"^[ \ufeff]|[ \ufeff]\Z"),  # programs strip these from column names
    ("seq", "time", "step"),
)
TENSORBOARD = Naming("TensorBoard", PRINTABLE)
TRACKIO = Naming(
    "Trackio",
    backslash_escapes(_CONTROL, also="^_(?=_)"),  # two underscores mark reserved names
    ("project", "run", "timestamp", "step", "time", "metrics"),
)
WANDB = Naming("Weights & Biases", PRINTABLE, ("global_step", "_step", "_runtime", "_timestamp", "_wandb"))
MLFLOW = Naming("MLflow", PATH, most=250)
POSTGRES = Naming("PostgreSQL", NO_NUL)
"""All targets, each with its naming rules."""
