"""Finished episodes, as Stable-Baselines3's ``Monitor`` and ``VecMonitor`` report them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rlviz.domain.numbers import number_of


class FinishedEpisode(NamedTuple):
    """``length`` in environment steps."""

    reward: float
    length: int


def finished_episode(info: object) -> FinishedEpisode | None:
    """The episode that ended with this step. None if none did: an ``episode`` that the environment itself puts into its
    ``info``, a number for instance, is no report of one."""
    if not isinstance(info, Mapping) or not isinstance(episode := info.get("episode"), Mapping):
        return None
    reward, length = number_of(episode.get("r")), number_of(episode.get("l"))
    if reward is None or length is None or not 0 <= length < float("inf"):
        return None
    return FinishedEpisode(float(reward), int(length))
