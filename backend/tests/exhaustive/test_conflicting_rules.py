"""Several rules that fire within one rollout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.real.test_conflicting_rules import BACK, PAUSE, STOP_AFTER_THE_UPDATE, at_episode, done, trained
from tests.support.training import kinds


@pytest.mark.parametrize(
    ("first", "then", "end"),
    [
        (PAUSE, STOP_AFTER_THE_UPDATE, "paused"),
        (STOP_AFTER_THE_UPDATE, PAUSE, "finished"),
        (BACK, STOP_AFTER_THE_UPDATE, "rollback"),
        (PAUSE, BACK, "paused"),
        (BACK, PAUSE, "rollback"),
    ],
)
def test_the_first_of_several_rules_that_fire_within_a_rollout_decides(
    tmp_path: Path, first: dict[str, Any], then: dict[str, Any], end: str
) -> None:
    folder = trained(tmp_path, at_episode(10, first, at_most=1), at_episode(11, then, at_most=1))
    assert end in kinds(folder)
    words = {"pause": "pause", "stop": "stop", "roll_back": "roll back"}
    told = done(folder)
    assert told[1] == ([words[first["kind"]]], [])
    assert told[2][0] == []
    assert "rule 1" in told[2][1][0]
