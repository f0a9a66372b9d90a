"""The search for episodes: a text such as ``return < 100 and length > 200``, as a condition on columns.

    condition   = alternative { "or" alternative }
    alternative = part { "and" part }
    part        = "not" part | "(" condition ")" | comparison | flag
    comparison  = field ("<" | "<=" | ">" | ">=" | "=" | "!=") number
    flag        = "terminated" | "truncated" | "deterministic" | "video"

Upper and lower case are the same. A number may have a sign, a decimal point, an exponent, and ``k`` or ``M`` at its
end.
"""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

Columns: TypeAlias = Mapping[str, NDArray[Any]]
Mask: TypeAlias = NDArray[np.bool_]
Condition: TypeAlias = Callable[[Columns], Mask]

FIELDS: Mapping[str, str] = {
    "return": "Undiscounted sum of rewards.",
    "length": "Environment steps.",
    "step": "Training step of the policy that played.",
    "episode": "Place within its evaluation, from 1.",
    "seed": "Seed the episode was reset with.",
}
"""What can be compared with a number."""

FLAGS: Mapping[str, str] = {
    "terminated": "The environment reached a terminal state.",
    "truncated": "The time limit cut the episode off.",
    "deterministic": "The policy took its most likely actions.",
    "video": "The video is still kept.",
}
"""What an episode is or is not."""

MAX_DEPTH = 50

_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
}
_WORDS = ("and", "or", "not", *FIELDS, *FLAGS)
_SCALES = {"": 1.0, "k": 1e3, "m": 1e6}
_NUMBER = re.compile(r"([+\-−]?(?:\d+\.?\d*|\.\d+)(?:e[+\-−]?\d+)?)([km]?)", re.IGNORECASE)
_TOKEN = re.compile(r"(?P<number>[+\-−]?[\d.][\w.+\-−]*)|(?P<word>[^\W\d]\w*)|(?P<sign>[<>!=]=?|[()])|(?P<other>\S)")


class QueryError(ValueError):
    """What is wrong with a search, and where: ``position`` counts characters from 1."""

    def __init__(self, position: int, problem: str) -> None:
        super().__init__(f"At character {position}: {problem}")
        self.position = position


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    position: int


_END = "the end of the search"


def parse_query(text: str) -> Condition:
    """The condition that ``text`` says: a function from columns of shape (n,) to a mask of shape (n,).

    There must be a column for each of ``FIELDS`` and ``FLAGS``. An empty text holds for every episode. A comparison
    with NaN never holds. Raises QueryError.
    """
    parser = _Parser(text)
    return parser.condition_to_the_end() if parser.tokens[0].kind != "end" else _everything


def _everything(columns: Columns) -> Mask:
    return np.ones(len(columns["return"]), dtype=np.bool_)


class _Parser:
    """Recursive descent, one method a rule of the grammar."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self._next = 0
        self._depth = 0

    def condition_to_the_end(self) -> Condition:
        condition = self._condition()
        if self._peek.kind != "end":
            self._fail(f'{_told(self._peek)} follows a complete condition. Join conditions by "and" or "or".')
        return condition

    @property
    def _peek(self) -> _Token:
        return self.tokens[self._next]

    def _take(self) -> _Token:
        token = self._peek
        self._next += token.kind != "end"
        return token

    def _taken(self, word: str) -> bool:
        found = self._peek.text == word
        self._next += found
        return found

    def _condition(self) -> Condition:
        parts = [self._alternative()]
        while self._taken("or"):
            parts.append(self._alternative())
        return _any_of(parts)

    def _alternative(self) -> Condition:
        parts = [self._part()]
        while self._taken("and"):
            parts.append(self._part())
        return _all_of(parts)

    def _part(self) -> Condition:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._fail(f'At most {MAX_DEPTH} "not" and parentheses may lie within each other.')
        try:
            return self._negated_or_plain()
        finally:
            self._depth -= 1

    def _negated_or_plain(self) -> Condition:
        if self._taken("not"):
            inner = self._part()
            return lambda columns: ~inner(columns)
        if self._peek.text == "(":
            opened = self._take()
            inner = self._condition()
            if not self._taken(")"):
                self._fail(
                    f'{_told(self._peek)} where ")" was expected to close the "(" at character {opened.position}.'
                )
            return inner
        if self._peek.text in FLAGS:
            name = self._take().text
            return lambda columns: np.asarray(columns[name], dtype=np.bool_)
        return self._comparison()

    def _comparison(self) -> Condition:
        if self._peek.text not in FIELDS:
            self._fail(_unknown(self._peek))
        name = self._take().text
        if self._peek.text not in _OPERATORS:
            self._fail(
                f"{_told(self._peek)} where {name!r} was to be compared. Write <, <=, >, >=, = or != and a number."
            )
        compare = _OPERATORS[self._take().text]
        if self._peek.kind != "number":
            self._fail(f"{_told(self._peek)} where a number was expected.")
        number = self._number(self._take())
        return lambda columns: ~np.isnan(columns[name]) & compare(columns[name], number)

    def _number(self, token: _Token) -> float:
        match = _NUMBER.fullmatch(token.text)
        if match is None:
            raise QueryError(token.position, f"{token.text!r} is no number. Write -12.5, 1e5, 20k or 1M, for instance.")
        return float(match[1].replace("−", "-")) * _SCALES[match[2].lower()]

    def _fail(self, problem: str) -> NoReturn:
        raise QueryError(self._peek.position, problem)


def _tokens(text: str) -> list[_Token]:
    found = [_Token(match.lastgroup or "", match[0].lower(), match.start() + 1) for match in _TOKEN.finditer(text)]
    return [*found, _Token("end", "", len(text.rstrip()) + 1)]


def _unknown(token: _Token) -> str:
    expected = f"Compare {', '.join(FIELDS)} with a number, or write {', '.join(FLAGS)}."
    near = difflib.get_close_matches(token.text, _WORDS, 1, 0.6) if token.kind == "word" else []
    meant = f" Did you mean {near[0]!r}?" if near and near[0] != token.text else ""
    return f"{_told(token)} where a condition was expected.{meant} {expected}"


def _told(token: _Token) -> str:
    return f"There is {_END if token.kind == 'end' else repr(token.text[:40])}"


def _any_of(parts: list[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else lambda columns: np.logical_or.reduce([part(columns) for part in parts])


def _all_of(parts: list[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else lambda columns: np.logical_and.reduce([part(columns) for part in parts])
