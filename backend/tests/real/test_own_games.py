"""A Game Boy game of the user, from its folder to an exact resume."""

from __future__ import annotations

from pathlib import Path

from rlviz.domain.config import ExplorationPlan
from rlviz.domain.metrics import TAPS
from rlviz.learning.training.watched import train_run
from rlviz.rundir.snapshots import snapshots_of
from rlviz.server.runs.environments import EnvironmentService
from tests.support.own_games import STAGED, write_game
from tests.support.resuming import cut, final_state, logged
from tests.support.training import column, kinds, make_run, messages, snapshots

ID = "GameBoy/MyIsland-v0"


def test_a_game_is_found_probed_trained_and_continued_exactly(tmp_path: Path) -> None:
    write_game(tmp_path / "roms/my-island", STAGED)
    (tmp_path / "roms/empty").mkdir()
    service = EnvironmentService(roms=tmp_path / "roms")
    service.start()
    try:
        (environment,) = service.own()
        assert environment.id == ID
        assert environment.hint is None
        assert environment.custom is not None
        assert environment.custom.warnings == ()
        assert environment.world is not None
        assert environment.world.stages == 3
        assert service.still(ID)
    finally:
        service.close()
    folder = make_run(
        tmp_path / "whole",
        env_id=ID,
        env_options={"sticky_actions": 0.1, "max_episode_steps": 50},
        custom_environment=environment.custom,
        exploration=ExplorationPlan(coverage=0.1),
        total_timesteps=256,
        hyperparameters={"n_steps": 32, "batch_size": 64},
        snapshots=snapshots(every_steps=128),
    )
    assert train_run(folder)
    assert kinds(folder)[-1] == "finished"
    assert column(folder, f"{TAPS}lamp_lit") == [0.0] * 4
    assert len(column(folder, f"{TAPS}square_x")) == 2
    assert column(folder, "reward/rooms")
    assert max(filter(None, column(folder, "explored/cells"))) > 1
    snapshot = snapshots_of(folder)[0]
    assert snapshot.manifest.exact, snapshot.manifest.not_exact_because
    continued = cut(folder, snapshot, tmp_path / "cut")
    assert train_run(continued)
    assert messages(continued) == []
    assert logged(continued) == logged(folder)
    assert final_state(continued) == final_state(folder)
