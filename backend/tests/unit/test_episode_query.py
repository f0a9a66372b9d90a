"""The query language of the episode search."""

from __future__ import annotations

import numpy as np
import pytest

from rlviz.stats.conditions import MAX_DEPTH, QueryError
from rlviz.stats.judging import FIELDS, FLAGS, parse_query
from tests.support.cases import cases

COLUMNS = {
    "return": np.array([50.0, 90.0, 150.0, -20.0]),
    "length": np.array([50.0, 250.0, 150.0, 400.0]),
    "step": np.array([1_000.0, 20_000.0, 20_000.0, np.nan]),
    "episode": np.array([1.0, 2.0, 1.0, 2.0]),
    "seed": np.array([7.0, 8.0, 7.0, 8.0]),
    "terminated": np.array([True, True, False, False]),
    "truncated": np.array([False, False, True, True]),
    "deterministic": np.array([True, True, True, False]),
    "video": np.array([False, True, True, False]),
}


def test_every_field_and_flag_has_a_column_in_these_tests() -> None:
    assert set(COLUMNS) == set(FIELDS) | set(FLAGS)


@cases(
    ("text", "found"),
    [
        ("", [0, 1, 2, 3]),
        ("  ", [0, 1, 2, 3]),
        ("return < 100 and length > 200", [1, 3]),
        ("RETURN<100 AND Length>200", [1, 3]),
        ("return = 90", [1]),
        ("return == 90", [1]),
        ("return != 90", [0, 2, 3]),
        ("return >= -20", [0, 1, 2, 3]),
        ("return <= −20", [3]),
        ("return > -2e1", [0, 1, 2]),
        ("step >= 20k", [1, 2]),
        ("step < 1M", [0, 1, 2]),
        ("not step < 1M", [3]),
        ("terminated", [0, 1]),
        ("not terminated", [2, 3]),
        ("not not terminated", [0, 1]),
        ("truncated and not video", [3]),
        ("return < 0 or return > 100 and length < 200", [2, 3]),
        ("(return < 0 or return > 100) and length < 200", [2]),
        ("not (terminated or video)", [3]),
        ("not terminated or video", [1, 2, 3]),
        ("seed=7 and deterministic and episode=1", [0, 2]),
    ],
)
def test_a_search_finds_the_episodes_it_describes(text: str, found: list[int]) -> None:
    assert np.flatnonzero(parse_query(text)(COLUMNS)).tolist() == found


@cases(
    ("text", "position", "words"),
    [
        ("retrun < 3", 1, "Did you mean 'return'?"),
        ("return", 7, "the end of the search where 'return' was to be compared"),
        ("return  ", 7, "the end of the search"),
        ("return < ", 9, "a number was expected"),
        ("return < and", 10, "a number was expected"),
        ("return < 12x", 10, "'12x' is not a number"),
        ("return < 1.2.3", 10, "is not a number"),
        ("return 100", 8, "'100' where 'return' was to be compared"),
        ("return < 1 length > 2", 12, 'Join conditions with "and" or "or"'),
        ("(return < 1", 12, 'to close the "(" at character 1'),
        ("return < 1)", 11, "follows a complete condition"),
        ("return < 1 and", 15, "a condition was expected"),
        ("and return < 1", 1, "'and' where a condition was expected"),
        ("return ! 3", 8, "'!'"),
        ("return < 3 ; drop", 12, "';'"),
        ("terminated = 1", 12, "follows a complete condition"),
        ("not " * (MAX_DEPTH + 1) + "video", 4 * MAX_DEPTH + 1, "may be nested"),
        ("(" * 5_000, MAX_DEPTH + 1, "may be nested"),
    ],
)
def test_an_invalid_search_is_reported_with_its_position_and_a_correction(text: str, position: int, words: str) -> None:
    with pytest.raises(QueryError) as told:
        parse_query(text)
    assert told.value.position == position
    assert words in str(told.value)
    assert str(told.value).startswith(f"At character {position}: ")
