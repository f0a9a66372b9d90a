"""The exploration noise of TD3 in a session."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.unit.test_exploration import NOISES, actions_of, as_read, considered, episode


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("noise", NOISES)
def test_td3_adds_its_training_noise_in_units_of_the_environment(tmp_path: Path, noise: str, whole: bool) -> None:
    policy = as_read(tmp_path, "td3", whole=whole, action_noise=noise, action_noise_std=0.3)
    actions = np.array(episode(actions_of(policy), steps=400)) - considered(actions_of(policy), greedy=True)
    expected = 2 * 0.3  # torques reach from -2 to 2, noise from -1 to 1
    if noise == "normal":
        assert actions.std() == pytest.approx(expected, rel=0.2)
    else:  # drifts: neighbours differ by little, which is what it is for
        assert np.diff(actions).std() == pytest.approx(expected * np.sqrt(0.01), rel=0.2)
