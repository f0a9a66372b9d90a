"""Conditions as text, such as ``return < 100 and not terminated``, over any vocabulary of names.

    condition   = alternative { "or" alternative }
    alternative = part { "and" part }
    part        = "not" part | "(" condition ")" | comparison | flag
    comparison  = field ("<" | "<=" | ">" | ">=" | "=" | "!=") value
    value       = number | name of a value

Case does not matter. A number may have a sign, a decimal point, an exponent, and a final ``k`` or ``M``. A name may
have several words; quote it if it contains other characters than letters, digits, dots and underscores.
"""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NoReturn, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from rlviz.stats.arrays import Floats, Series

Table = TypeVar("Table")
"""The n rows that a condition is applied to, in any representation."""

Named = TypeVar("Named")

Mask: TypeAlias = NDArray[np.bool_]
Condition: TypeAlias = Callable[[Table], Mask]

MAX_DEPTH = 50

MOST_NAMES = 24
"""Maximum number of names that an error lists."""

COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
}
_JOINTS = ("and", "or", "not")
_SCALES = {"": 1.0, "k": 1e3, "m": 1e6}
_NUMBER = re.compile(r"([+\-−]?(?:\d+\.?\d*|\.\d+)(?:e[+\-−]?\d+)?)([km]?)", re.IGNORECASE)
_TOKEN = re.compile(
    r"(?P<number>[+\-−]?[\d.][\w.+\-−]*)|(?P<word>[^\W\d][\w.]*)|(?P<quoted>\"[^\"]*\"|'[^']*')"
    r"|(?P<sign>[<>!=]=?|[()])|(?P<other>\S)"
)


class QueryError(ValueError):
    """A syntax error in a condition. ``position`` is the character, from 1."""

    def __init__(self, position: int, problem: str) -> None:
        super().__init__(f"At character {position}: {problem}")
        self.position = position


@dataclass(frozen=True)
class Comparable(Generic[Table]):
    """A name that can be compared.

    ``read`` returns numbers of shape (n,) and a mask of known ones: comparisons with unknown numbers are false.
    ``values`` are named numbers, by lower-case name.
    """

    read: Callable[[Table], tuple[NDArray[Any], Mask]]
    values: Mapping[str, float] = field(default_factory=dict)


class Vocabulary(Protocol[Table]):
    """The names that a condition may use, in lower case."""

    def comparable(self, name: str) -> Comparable[Table] | None: ...

    def flag(self, name: str) -> Callable[[Table], Mask] | None: ...

    @property
    def comparables(self) -> Sequence[str]:
        """Return the names that can be compared, for error messages."""

    @property
    def flags(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    position: int


_END = "the end of the search"


def parse_condition(text: str, vocabulary: Vocabulary[Table]) -> Condition[Table]:
    """Parse ``text`` into a function from a table of n rows to a mask of shape (n,). Raises QueryError, also for empty
    text."""
    return _Parser(text, vocabulary).condition_to_the_end()


class _Parser(Generic[Table]):
    """Recursive descent parser, one method per grammar rule."""

    def __init__(self, text: str, vocabulary: Vocabulary[Table]) -> None:
        self._tokens, self._vocabulary = _tokens(text), vocabulary
        self._next = 0
        self._depth = 0

    def condition_to_the_end(self) -> Condition[Table]:
        condition = self._condition()
        if self._peek.kind != "end":
            self._fail(f'{self._peek.text[:40]!r} follows a complete condition. Join conditions with "and" or "or".')
        return condition

    @property
    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _consume(self) -> _Token:
        token = self._peek
        self._next += token.kind != "end"
        return token

    def _taken(self, word: str) -> bool:
        found = self._peek.kind != "quoted" and self._peek.text == word
        self._next += found
        return found

    def _condition(self) -> Condition[Table]:
        parts = [self._alternative()]
        while self._taken("or"):
            parts.append(self._alternative())
        return _joined(np.logical_or, parts)

    def _alternative(self) -> Condition[Table]:
        parts = [self._part()]
        while self._taken("and"):
            parts.append(self._part())
        return _joined(np.logical_and, parts)

    def _part(self) -> Condition[Table]:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._fail(f'At most {MAX_DEPTH} "not" and parentheses may be nested.')
        try:
            return self._negated_or_plain()
        finally:
            self._depth -= 1

    def _negated_or_plain(self) -> Condition[Table]:
        if self._taken("not"):
            inner = self._part()
            return lambda table: ~inner(table)
        opened = self._peek
        if self._taken("("):
            inner = self._condition()
            if not self._taken(")"):
                self._fail(
                    f'{_found(self._peek)} where ")" was expected to close the "(" at character {opened.position}.'
                )
            return inner
        if (flag := self._named(self._vocabulary.flag)) is not None:
            return flag[1]
        return self._comparison()

    def _comparison(self) -> Condition[Table]:
        found = self._named(self._vocabulary.comparable)
        if found is None:
            self._fail(self._unknown(self._peek))
        name, comparable = found
        if self._peek.text not in COMPARISONS:
            self._fail(
                f"{_found(self._peek)} where {name!r} was to be compared. Write <, <=, >, >=, = or != and a number."
            )
        compare = COMPARISONS[self._consume().text]
        value = self._value(name, comparable.values)

        def holds(table: Table) -> Mask:
            numbers, known = comparable.read(table)
            return known & np.asarray(compare(numbers, value), np.bool_)

        return holds

    def _value(self, name: str, values: Mapping[str, float]) -> float:
        if (named := self._named(values.get)) is not None:
            return named[1]
        if self._peek.kind == "number":
            return self._number(self._consume())
        names = f" {name!r} may also be {_listed(values)}." if values else ""
        self._fail(f"{_found(self._peek)} where a number was expected.{names}")

    def _number(self, token: _Token) -> float:
        match = _NUMBER.fullmatch(token.text)
        if match is None:
            raise QueryError(
                token.position, f"{token.text!r} is not a number. Write, for example, -12.5, 1e5, 20k or 1M."
            )
        return float(match[1].replace("−", "-")) * _SCALES[match[2].lower()]

    def _named(self, known: Callable[[str], Named | None]) -> tuple[str, Named] | None:
        """Consume the longest name that is ``known``, which may have several words; return it and its meaning."""
        if self._peek.kind == "quoted":
            found = known(self._peek.text)
            return None if found is None else (self._consume().text, found)
        words: list[str] = []
        for token in self._tokens[self._next :]:
            if token.kind not in ("word", "number") or token.text in _JOINTS:
                break
            words.append(token.text)
        for count in range(len(words), 0, -1):
            if (found := known(" ".join(words[:count]))) is not None:
                self._next += count
                return " ".join(words[:count]), found
        return None

    def _unknown(self, token: _Token) -> str:
        names = [*self._vocabulary.comparables, *self._vocabulary.flags]
        known = {name.lower(): name for name in (*_JOINTS, *names)}
        near = difflib.get_close_matches(token.text, known, 1, 0.6) if token.kind in ("word", "quoted") else []
        problem = f"{_found(token)} where a condition was expected."
        if near and near[0] != token.text:
            return f"{problem} Did you mean {known[near[0]]!r}?"
        numbers, flags = _listed(self._vocabulary.comparables), _listed(self._vocabulary.flags)
        return f"{problem} Compare {numbers} with a number, or write {flags}."

    def _fail(self, problem: str) -> NoReturn:
        raise QueryError(self._peek.position, problem)


def _tokens(text: str) -> list[_Token]:
    found = [_token(match) for match in _TOKEN.finditer(text)]
    return [*found, _Token("end", "", len(text.rstrip()) + 1)]


def _token(match: re.Match[str]) -> _Token:
    text = match[0][1:-1] if match.lastgroup == "quoted" else match[0]
    return _Token(match.lastgroup or "", text.lower(), match.start() + 1)


def _found(token: _Token) -> str:
    return f"There is {_END if token.kind == 'end' else repr(token.text[:40])}"


def _listed(names: Iterable[str]) -> str:
    """Return names as they must be written: quoted if not a single word."""
    every = [name if re.fullmatch(r"[^\W\d][\w.]*", name) else f'"{name}"' for name in names]
    return ", ".join(every[:MOST_NAMES]) + (", …" if len(every) > MOST_NAMES else "")


def _joined(ufunc: np.ufunc, parts: list[Condition[Table]]) -> Condition[Table]:
    return parts[0] if len(parts) == 1 else lambda table: ufunc.reduce([part(table) for part in parts])


def episodes_done(series: Series, ends: Series) -> Floats:
    """Return how many episodes had ended at the step of each row of ``series``, shape (n,).

    ``ends`` is the metric ``episode/index``, which counts episodes from 1. A metric that is logged with each episode
    (as many rows, at the same steps) gets the episode's own index, even if parallel environments end several at one
    step. Steps are non-decreasing in both.
    """
    index: Floats = np.fmax.accumulate(ends.value)  # never decreases, even in a damaged journal
    if len(series) == len(ends) and np.array_equal(series.step, ends.step):
        return index
    done = np.searchsorted(ends.step, series.step, side="right")
    return np.concatenate([np.zeros(1), index])[done]
