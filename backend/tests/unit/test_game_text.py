"""The text of a ``game.toml`` that the form writes: it says what was given, and says so in any text."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from rlviz.learning.environments.gameboy.game_text import as_toml, comments_of
from tests.support.own_games import STAGED, TOML


def test_what_was_read_is_written_with_addresses_as_people_write_them() -> None:
    content = tomllib.loads(TOML)
    text = as_toml(content)
    assert tomllib.loads(text) == content
    assert "address = 0xC00B\n" in text
    assert list(tomllib.loads(text)) == list(content)


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"name": 'a "quoted" \\ name\n\x7f\u2028é', "summary": ""},
        {"taps": 3, "cell": "x", "components": [1, {"a": 1.5}], "name": "x"},
        {"name": "x", "taps": [{}, {"address": -1, "name": "Not a name"}], "components": {"Go al": "x", "": "1"}},
        {"name": True, "holds": {"a b": {"c": [1, [2]]}}, "done": "x == 1"},
    ],
)
def test_any_content_becomes_toml_that_says_the_same(content: dict[str, Any]) -> None:
    assert tomllib.loads(as_toml(content)) == content


def test_a_stage_is_written_below_the_cell_that_it_belongs_to() -> None:
    content = tomllib.loads(STAGED)
    cell = {"stages": 3, "stage": content["cell"]["stage"], **content["cell"]}
    text = as_toml({**content, "cell": cell})
    assert tomllib.loads(text) == content
    assert '"cave"]\nstage = "has_sword + has_key"\nstages = 3\n\n[components]' in text


def test_missing_values_are_left_out() -> None:
    content = {"name": "x", "done": None, "cell": {"x": None}, "taps": [{"name": "a", "address": 0xC000, "unit": None}]}
    assert tomllib.loads(as_toml(content)) == {"name": "x", "taps": [{"name": "a", "address": 0xC000}]}


def test_comments_are_told_from_text() -> None:
    text = 'a = "x # y" # one\nb = \'\'\'\n# no \'\' "\n\'\'\' # two\nc = """\\"""# no"""\n#three\nd = \'a#b\'\n'
    tomllib.loads(text)
    assert comments_of(text) == ["# one", "# two", "#three"]
    assert comments_of(TOML) == []
