"""Expressions over the taps of a game, such as ``delta(coins) > 0 and lives >= 1``.

They compare as the conditions of rules do (``>``, ``>=``, ``<``, ``<=``), and can also compute. An expression is data:
Python's parser reads it, only the parts listed in ``HELP`` are accepted, and no code is executed.
"""

from __future__ import annotations

import ast
import difflib
import math
import operator
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rlviz.domain.limits import LIMITS

HELP = (
    "Use numbers, names of taps, + - * / // %, comparisons (> >= < <= == !=), and, or, not, A if CONDITION else B, "
    "delta(x), before(x), bit(x, n), min, max and abs."
)
MOST_DEPTH = 40
"""Parts within parts."""

Values = Sequence[float]
"""The values of all taps, in the order of their names."""

_Compute = Callable[[Values, Values], float]
"""Takes the values of this step and those of the step before."""

_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_ARGUMENTS = {"delta": 1, "before": 1, "abs": 1, "bit": 2, "min": None, "max": None}
"""Functions with their number of arguments; None: two or more."""


_STEPPING = frozenset({"delta", "before"})
"""Functions that use the values of the step before."""


class BadExpression(ValueError):
    """A text is not an expression. ``position``: the character that is wrong, counted from 0."""

    def __init__(self, problem: str, position: int = 0) -> None:
        super().__init__(problem)
        self.position = position


@dataclass(frozen=True)
class Expression:
    """A parsed expression.

    Args:
        text: The text it was parsed from.
        taps: Names of the taps that it reads, in the order in which it names them first.
    """

    text: str
    taps: tuple[str, ...]
    _compute: _Compute

    def evaluate(self, now: Values, before: Values) -> float:
        """Return its value; conditions are 1 or 0.

        Raises ArithmeticError with a sentence if it divides by zero, or its value is not a finite number.
        """
        try:
            value = self._compute(now, before)
        except ZeroDivisionError as error:
            raise ZeroDivisionError("It divides by zero.") from error
        except (ValueError, OverflowError) as error:  # a bit of a number that is not finite
            raise ArithmeticError("It has no finite value.") from error
        if not math.isfinite(value):
            raise ArithmeticError("It has no finite value.")
        return value


def parse_expression(text: str, taps: Sequence[str]) -> Expression:
    """Parse ``text`` over the taps with these names. Raises BadExpression."""
    most = LIMITS.game_expression.maximum
    if len(text) > most:
        raise BadExpression(f"It has {len(text):,} characters; at most {most} are allowed.")
    if not text.strip():
        raise BadExpression("It is empty.")
    line = "".join(" " if character in "\r\n\t\f" else character for character in text)
    indent = len(line) - len(line.lstrip())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as "1 is 2", which is refused below
            tree = ast.parse(line.lstrip(), mode="eval")
    except SyntaxError as error:
        raise _bad_syntax(line, indent, error) from error
    except (ValueError, MemoryError, RecursionError) as error:
        raise BadExpression(f"It cannot be read. {HELP}") from error
    parser = _Parser(line.lstrip(), indent, taps)
    compute = parser.compile(tree.body, 0)
    return Expression(text, tuple(parser.used), compute)


def _bad_syntax(line: str, indent: int, error: SyntaxError) -> BadExpression:
    """Return what is wrong with a line that Python cannot parse. ``indent``: characters in front of what it parsed."""
    end = len(line.rstrip())
    position = indent + error.offset - 1 if error.offset else end
    if position >= end:
        return BadExpression("It ends too early: something is missing here.", end)
    if error.msg.endswith("was never closed"):
        return BadExpression("This bracket is not closed.", position)
    if line[position] == "=":
        return BadExpression("Use == to compare two values.", position)
    return BadExpression(f"It cannot be read here. {HELP}", position)


class _Parser:
    def __init__(self, line: str, indent: int, taps: Sequence[str]) -> None:
        self._bytes, self._indent = line.encode(), indent
        self._places = {name: place for place, name in enumerate(taps)}
        self.used: dict[str, None] = {}

    def compile(self, node: ast.expr, depth: int) -> _Compute:
        if depth > MOST_DEPTH:
            raise self._bad(node, f"It has more than {MOST_DEPTH} parts within each other. Split it.")
        match node:
            case ast.Constant(value=bool() | str() | bytes() | complex() | None):
                raise self._bad(node, "Only numbers are allowed here.")
            case ast.Constant(value=int() | float() as value):
                return self._constant(node, value)
            case ast.Name(id=name):
                return self._tap(node, name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self.compile(operand, depth + 1)
                return lambda now, before: -inner(now, before)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.compile(operand, depth + 1)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.compile(operand, depth + 1)
                return lambda now, before: float(not inner(now, before))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                divides = isinstance(op, ast.Div | ast.FloorDiv | ast.Mod)
                if divides and isinstance(right, ast.Constant) and right.value == 0:
                    raise self._bad(right, "It divides by zero.")
                return _combine(_OPERATORS[type(op)], self.compile(left, depth + 1), self.compile(right, depth + 1))
            case ast.BoolOp(op=op, values=values):
                return _connect(isinstance(op, ast.And), [self.compile(one, depth + 1) for one in values])
            case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _COMPARISONS for op in ops):
                parts = [self.compile(one, depth + 1) for one in (left, *others)]
                return _compare([_COMPARISONS[type(op)] for op in ops], parts)
            case ast.IfExp(test=test, body=body, orelse=other):
                condition, then, otherwise = (self.compile(one, depth + 1) for one in (test, body, other))
                return lambda now, before: (then if condition(now, before) else otherwise)(now, before)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(node, name, arguments, depth)
        raise self._bad(node, f"This is not allowed. {HELP}")

    def _constant(self, node: ast.expr, value: float) -> _Compute:
        try:
            number = float(value)
        except OverflowError as error:
            raise self._bad(node, "This number is too large.") from error
        if not math.isfinite(number):
            raise self._bad(node, "This number is too large.")
        return lambda now, before: number

    def _tap(self, node: ast.expr, name: str) -> _Compute:
        place = self._places.get(name)
        if place is None:
            near = difflib.get_close_matches(name, self._places, 1)
            known = f"The taps are {', '.join(self._places)}." if self._places else "The file has no [[taps]]."
            hint = f"Did you mean {near[0]!r}?" if near else known
            raise self._bad(node, f"There is no tap {name[:40]!r}. {hint}")
        self.used[name] = None
        return lambda now, before: now[place]

    def _call(self, node: ast.expr, name: str, arguments: Sequence[ast.expr], depth: int) -> _Compute:
        if name not in _ARGUMENTS:
            near = difflib.get_close_matches(name, _ARGUMENTS, 1)
            hint = f"Did you mean {near[0]}?" if near else f"The functions are {', '.join(_ARGUMENTS)}."
            raise self._bad(node, f"There is no function {name[:40]!r}. {hint}")
        count = _ARGUMENTS[name]
        if len(arguments) != count if count is not None else len(arguments) < 2:
            needed = "two or more values" if count is None else "one value" if count == 1 else f"{count} values"
            raise self._bad(node, f"{name} needs {needed}.")
        if name in _STEPPING and any(_is_stepping(part) for one in arguments for part in ast.walk(one)):
            raise self._bad(node, "delta and before know one step only. They cannot be inside each other.")
        parts = [self.compile(one, depth + 1) for one in arguments]
        first = parts[0]
        match name:
            case "delta":
                return lambda now, before: first(now, before) - first(before, before)
            case "before":
                return lambda now, before: first(before, before)
            case "abs":
                return lambda now, before: abs(first(now, before))
            case "bit":
                return self._bit(arguments[1], first)
        chosen = min if name == "min" else max
        return lambda now, before: chosen([part(now, before) for part in parts])

    def _bit(self, node: ast.expr, inner: _Compute) -> _Compute:
        if not (isinstance(node, ast.Constant) and type(node.value) is int and 0 <= node.value < 32):
            raise self._bad(node, "The number of a bit is 0 to 31; 0 is the lowest.")
        number = node.value
        return lambda now, before: float(int(inner(now, before)) >> number & 1)

    def _bad(self, node: ast.expr, problem: str) -> BadExpression:
        position = len(self._bytes[: node.col_offset].decode(errors="replace"))
        return BadExpression(problem, self._indent + position)


def _combine(compute: Callable[[float, float], float], left: _Compute, right: _Compute) -> _Compute:
    return lambda now, before: compute(left(now, before), right(now, before))


def _connect(needs_all: bool, parts: Sequence[_Compute]) -> _Compute:
    needed = all if needs_all else any
    return lambda now, before: float(needed(part(now, before) for part in parts))


def _compare(comparisons: Sequence[Callable[[float, float], bool]], parts: Sequence[_Compute]) -> _Compute:
    if len(comparisons) == 1:
        (compare,), (left, right) = comparisons, parts
        return lambda now, before: float(compare(left(now, before), right(now, before)))

    def compute(now: Values, before: Values) -> float:
        values = [part(now, before) for part in parts]
        return float(all(compare(values[place], values[place + 1]) for place, compare in enumerate(comparisons)))

    return compute


def _is_stepping(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _STEPPING
