"""The memory estimate for a run that is not created yet."""

from __future__ import annotations

import pytest

from rlviz.domain.byte_text import byte_text
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.server.runs.configuration import MemoryEstimate, NewRun, estimate_memory, resolve_config

GAME = {"observation": "pixels", "frame_stack": 4}


def _estimate(algo: str, free: int = 10**12, **buffer: int) -> MemoryEstimate:
    env_id = "GameBoy/Lamplighter-v0"
    config = resolve_config(NewRun(algo, env_id, env_options=GAME, hyperparameters=buffer), 0.0)
    return estimate_memory(config, ENVIRONMENTS.get(env_id).resolve(config.env_options), free)


def test_a_replay_buffer_of_pictures_needs_their_bytes_twice_unless_they_are_stored_once() -> None:
    twice = _estimate("dqn", buffer_size=50_000, optimize_memory_usage=False)
    once = _estimate("dqn", buffer_size=50_000, optimize_memory_usage=True)
    pixels = 50_000 * 72 * 80 * 3 * 4
    assert twice.need.bytes == pytest.approx(2 * pixels, rel=0.01)
    assert once.need.bytes == pytest.approx(pixels, rel=0.01)
    assert (twice.need.field, twice.warning) == ("buffer_size", None)


def test_more_than_is_free_is_warned_of() -> None:
    found = _estimate("dqn", 2 * 10**9, buffer_size=50_000, optimize_memory_usage=True)
    assert found.warning is not None
    assert found.warning.startswith(
        f"buffer_size 50,000 needs about {byte_text(found.need.bytes)}, and 2 GB of memory are free."
    )


def test_random_actions_need_no_memory() -> None:
    assert _estimate("random").need.bytes == 0
