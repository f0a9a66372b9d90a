"""TOML and YAML files with the position of each key."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.domain.errors import InvalidRequest
from rlviz.placed_file import PlacedFile, read_placed_file

YAML = """\
base:
  algo: ppo
  hyperparameters: {gamma: 0.9, learning_rate: 1e-4}
variants:
  - name: one
  - name: two
    changes:
      hyperparameters:
        gamma: 0.99
seeds: 3
"""

TOML = """\
seeds = 3
[base]
algo = "ppo"
hyperparameters.gamma = 0.9
# a comment
[[variants]]
name = "one"

[[variants]]
  name = "two"
  [variants.changes]
  "preset" = "none"
  hyperparameters = { gamma = 0.99 }
"""


def read(folder: Path, name: str, text: str) -> PlacedFile:
    (folder / name).write_text(text)
    return read_placed_file(folder / name, "experiments")


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("/base/algo", "2:3"),
        ("/base/hyperparameters/gamma", "3:21"),
        ("/variants/1", "6:5"),
        ("/variants/1/changes/hyperparameters/gamma", "9:9"),
        ("/variants/1/changes/total_timesteps", "7:5"),
        ("/seeds/0", "10:1"),
        ("/nowhere", "1:1"),
        ("", "1:1"),
    ],
)
def test_every_value_in_yaml_has_its_position(tmp_path: Path, pointer: str, place: str) -> None:
    assert read(tmp_path, "a.yaml", YAML).place(pointer) == f"{tmp_path}/a.yaml:{place}"


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("/seeds", "1:1"),
        ("/base", "2:2"),
        ("/base/hyperparameters/gamma", "4:1"),
        ("/base/preset", "2:2"),
        ("/variants/0/name", "7:1"),
        ("/variants/1", "9:3"),
        ("/variants/1/name", "10:3"),
        ("/variants/1/changes/preset", "12:3"),
        ("/variants/1/changes/hyperparameters/gamma", "13:3"),
    ],
)
def test_keys_and_tables_of_toml_have_their_positions(tmp_path: Path, pointer: str, place: str) -> None:
    assert read(tmp_path, "a.toml", TOML).place(pointer) == f"{tmp_path}/a.toml:{place}"


def test_numbers_with_an_exponent_are_numbers_in_yaml(tmp_path: Path) -> None:
    assert read(tmp_path, "a.yaml", "a: 1e-4\nb: -2E3\nc: 1e\nd: 1.5\n").values == {
        "a": 0.0001,
        "b": -2000.0,
        "c": "1e",
        "d": 1.5,
    }


def test_a_duplicate_key_is_refused_at_its_second_position(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match=r"a.yaml:3:3: algo is defined twice"):
        read(tmp_path, "a.yaml", "base:\n  algo: ppo\n  algo: dqn\n")


def test_aliases_that_multiply_are_refused(tmp_path: Path) -> None:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(InvalidRequest, match="more than"):
        read(tmp_path, "a.yaml", "\n".join(lines))
