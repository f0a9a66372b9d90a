"""Expressions over the taps of a game: evaluation, and positions of errors."""

from __future__ import annotations

import pytest

from rlviz.domain.expressions import BadExpression, parse_expression

TAPS = ("coins", "lives")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("coins", 7),
        ("  coins + 2 * lives - 1 ", 10),
        ("coins // lives + coins % lives", 4),
        ("coins / lives", 3.5),
        ("-coins + +lives", -5),
        ("delta(coins) > 0 and lives >= 1", 1),
        ("not coins or lives < 0", 0),
        ("0 < lives < 2", 0),
        ("coins != 7", 0),
        ("delta(coins + lives)", 3),
        ("before(coins)", 3),
        ("max(0, -delta(lives), 1) + min(coins, 5) + abs(-2)", 8),
        ("bit(coins, 2) + bit(coins, 3)", 1),
        ("1 if coins == 7 else 1 / (coins - 7)", 1),
        ("(coins\n + lives)", 9),
    ],
)
def test_an_expression_computes_from_the_values_now_and_before(text: str, value: float) -> None:
    assert parse_expression(text, TAPS).evaluate((7, 2), (3, 3)) == value


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("", 0, "empty"),
        ("coins + live", 8, "no tap 'live'. Did you mean 'lives'?"),
        ("é + coins + keys", 0, "The taps are coins, lives."),
        ("coins = 3", 6, "Use == to compare"),
        ("coins ==", 8, "ends too early"),
        ("  coins and ", 11, "ends too early"),
        ("max(0, delta(coins)", 3, "bracket is not closed"),
        ("coins 3", 6, "cannot be read here. Use numbers"),
        ("coins / 0", 8, "divides by zero"),
        ("  detla(coins)", 2, "Did you mean delta?"),
        ("delta(coins, lives)", 0, "delta needs one value"),
        ("1 + delta(delta(coins))", 4, "cannot be inside each other"),
        ("before(abs(delta(coins)))", 0, "cannot be inside each other"),
        ("max(coins)", 0, "max needs two or more values"),
        ("bit(coins, lives)", 11, "number of a bit"),
        ("'coins'", 0, "Only numbers"),
        ("1e999", 0, "too large"),
        ("coins.real", 0, "not allowed"),
        ("coins[0]", 0, "not allowed"),
        ("(lambda: 1)()", 0, "not allowed"),
        ("[coins for coins in lives]", 0, "not allowed"),
        ("__import__('os').system('true')", 0, "not allowed"),
        ("2 ** 9", 0, "not allowed"),
        ("-" * 300 + "1", 41, "within each other"),
        ("coins +" * 200, 0, "at most 500"),
    ],
)
def test_what_is_no_expression_is_refused_at_its_character(text: str, position: int, words: str) -> None:
    with pytest.raises(BadExpression) as caught:
        parse_expression(text, TAPS)
    assert words in str(caught.value)
    assert caught.value.position == position


@pytest.mark.parametrize("text", ["coins / lives", "coins % lives", "coins // lives", "bit(1e308 * 10 * coins, 0)"])
def test_a_value_that_cannot_be_computed_is_an_error_of_arithmetic(text: str) -> None:
    with pytest.raises(ArithmeticError, match=r"divides by zero|no finite value"):
        parse_expression(text, TAPS).evaluate((7, 0), (7, 0))


def test_an_expression_knows_the_taps_that_it_reads() -> None:
    assert parse_expression("lives + delta(coins) - lives", TAPS).taps == ("lives", "coins")
