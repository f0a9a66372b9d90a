"""Differences between two unpickled values."""

from __future__ import annotations

import pickle
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from rlviz.learning.training.snapshot.verify import first_difference


@dataclass(slots=True)
class Slotted:
    inside: Any


def everything(last: Any) -> dict[str, Any]:
    values: dict[str, Any] = {
        "generator": np.random.default_rng(last),
        "numbers": [1, 2.5, float("nan"), None, True, b"bytes", {3}],
        "queue": deque([1, last], maxlen=3),
        "slotted": Slotted(np.arange(4.0) + last),
        "objects": np.array([None, {"deep": torch.tensor([0.0, last])}], dtype=object),
    }
    values["itself"] = values
    return values


def copied(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def test_equal_copies_have_no_differences() -> None:
    assert first_difference(copied(everything(1)), copied(everything(1))) is None


@pytest.mark.parametrize("name", ["generator", "queue", "slotted", "objects"])
def test_a_nested_difference_is_found(name: str) -> None:
    assert first_difference({name: everything(1)[name]}, {name: everything(2)[name]}) is not None


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ({"a": [1, 2]}, {"a": [1, 3]}, "a[1]: 2 in the file, 3 restored"),
        (np.zeros(3), np.array([0, 0, np.nextafter(0, 1)]), "[2]: 0.0 in the file, 5e-324 restored"),
        (torch.zeros(2), torch.zeros(3), "all of it: float32 (2,) in the file, float32 (3,) restored"),
        ({"a": 1}, {"b": 1}, "all of it: has a in the file, has b restored"),
        (0.0, -0.0, "all of it: 0.0 in the file, -0.0 restored"),
        (1, 1.0, "all of it: int in the file, float restored"),
        (["a"], ["a", "b"], "all of it: 1 values in the file, 2 values restored"),
    ],
)
def test_a_difference_is_named_with_both_values(was: Any, now: Any, said: str) -> None:
    assert first_difference(was, now) == said
