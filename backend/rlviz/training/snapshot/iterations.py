"""Iterations of on-policy algorithms, which the library counts from 1 in each call of ``learn``."""

from __future__ import annotations

import inspect
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm


class LogInterval(int):
    """How many iterations lie between two rows, where ``before`` iterations were done by an earlier ``learn``.

    The library logs when ``iteration % log_interval`` is 0. Its ``iteration`` is a local variable, which cannot be
    restored, so the interval counts the earlier ones in.
    """

    before: int

    def __new__(cls, interval: int, before: int) -> LogInterval:
        iterations = super().__new__(cls, interval)
        iterations.before = before
        return iterations

    def __rmod__(self, iteration: int) -> int:
        return (iteration + self.before) % int(self)


def log_interval(model: BaseAlgorithm, before: int) -> dict[str, Any]:
    """Keyword arguments of ``learn`` with which ``model`` logs as if it had not been interrupted."""
    if not isinstance(model, OnPolicyAlgorithm):
        return {}
    standard = inspect.signature(type(model).learn).parameters["log_interval"].default
    return {"log_interval": LogInterval(standard, before)}
