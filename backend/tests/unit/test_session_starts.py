"""Sessions whose episodes begin in a cell: reached by a recorded episode, or restored from the archive."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlviz.domain.config import ExplorationPlan
from rlviz.domain.errors import NothingToPlay
from rlviz.domain.sessions import SessionMode
from rlviz.learning.environments.cells import CELL
from rlviz.learning.environments.make import make_environment, make_training_environments
from rlviz.learning.environments.state import NotCapturable
from rlviz.learning.exploration.archive import read_archived
from rlviz.learning.exploration.bonuses import Exploring
from rlviz.learning.playing.rollout import Env, Episode
from rlviz.learning.records import confined_reading
from rlviz.learning.records.confined_reading import CellStep, CellVisits, find_cell
from rlviz.learning.records.reader import StepFile
from rlviz.learning.sessions.folder import ArchivedStart, RecordedStart
from rlviz.learning.sessions.starts import ReplayedStart, RestoredStart, make_start
from rlviz.learning.training.builder import build_model
from rlviz.rundir.folder import RunFolder
from tests.support.recorded_lake import DOWN, EVALUATION, FIRM, LAKE, LEFT, RIGHT, record
from tests.support.session_rig import Rig, Walker
from tests.support.step_files import change_value
from tests.support.training import make_run

ISLAND: dict[str, Any] = {"env_id": "GameBoy/Lamplighter-v0", "exploration": ExplorationPlan(archive=1.0)}


def archived(folder: RunFolder, actions: Iterable[int]) -> tuple[RestoredStart, int]:
    """The start in the cell that training reaches with ``actions``, and the cell."""
    environments = build_model(folder.read_config()).get_env()
    assert isinstance(environments, Exploring)
    environments.reset()
    for action in actions:
        _, _, _, infos = environments.step(np.array([action] * environments.num_envs))
    cell = infos[0][CELL]
    assert environments.world is not None
    found = read_archived(environments.state()["archive"], cell, environments.world.cells)
    assert found is not None
    twin = make_training_environments(folder.read_config(), 1).envs[0]  # type: ignore[attr-defined]
    return RestoredStart(*found, twin, cell), cell


def begin(folder: RunFolder, start: Any, seed: int = 7) -> Episode:
    env = make_environment(folder.read_config(), render=True, whole_episodes=True)
    episode = Episode(env, 0, seed, start=start)
    episode.begin()
    return episode


def picture(episode: Episode) -> Any:
    return episode.env.render()


def test_an_archived_state_begins_an_episode_where_it_is_drawn(tmp_path: Path) -> None:
    folder = make_run(tmp_path, hyperparameters={"n_envs": 1}, **FIRM)
    start, cell = archived(folder, [DOWN])
    episode = begin(folder, start)
    assert (cell, episode.newest.observation, episode.newest.cell, episode.newest.episode_return) == (4, 4, 4, 0.0)
    walked = Episode(make_environment(folder.read_config(), render=True, whole_episodes=True), 0, 7)
    walked.begin()
    walked.take_action(DOWN)
    assert np.array_equal(picture(episode), picture(walked)), "the picture shows the cell"
    step = episode.take_action(DOWN)
    assert (step.observation, step.cell, step.number) == (8, 8, 1)
    for _ in range(99):
        step = episode.take_action(LEFT)
    assert (step.truncated, step.number) == (True, 100), "the time limit does not count the way to the cell"


def test_two_episodes_from_one_state_draw_the_numbers_of_their_seeds(tmp_path: Path) -> None:
    folder = make_run(tmp_path, hyperparameters={"n_envs": 1}, **LAKE)
    start, _ = archived(folder, [LEFT])

    def way(seed: int) -> list[int]:
        episode = begin(folder, start, seed)
        return [episode.take_action(LEFT).observation for _ in range(12)]

    assert way(1) == way(1)
    assert way(1) != way(2)


def test_a_game_that_trained_without_pictures_is_shown_as_it_was(tmp_path: Path) -> None:
    folder = make_run(tmp_path, hyperparameters={"n_envs": 1}, **ISLAND)
    config = folder.read_config()
    walked = Episode(make_environment(config, render=True, whole_episodes=True), 0, config.seed)
    walked.begin()
    actions = [1, 1, 1]
    for action in actions:
        walked.take_action(action)
    start, cell = archived(folder, actions)
    episode = begin(folder, start)
    assert episode.newest.cell == cell == walked.newest.cell
    assert episode.newest.observation.tolist() == walked.newest.observation.tolist()
    differing = np.not_equal(picture(episode), picture(walked)).any(axis=2).mean()
    assert differing < 0.01, "training did not draw, so the picture is that of the next frame"
    steps = [one.take_action(2) for one in (episode, walked)]
    assert steps[0].observation.tolist() == steps[1].observation.tolist()
    assert np.array_equal(picture(episode), picture(walked))


def test_a_state_that_cannot_be_restored_says_why(tmp_path: Path) -> None:
    folder = make_run(tmp_path, hyperparameters={"n_envs": 1}, **FIRM)
    start, _ = archived(folder, [DOWN])

    class Refusing(type(start._twin)):  # type: ignore[misc]
        def capture_state(self) -> object:
            return None

        def restore_state(self, state: Any) -> None:
            raise NotCapturable("PyBoy 2.8.0 saved the state, and 2.9.0 is installed.")

    start._twin = Refusing(start._twin)
    with pytest.raises(NothingToPlay, match=r"cannot be restored\. PyBoy 2\.8\.0 saved the state"):
        begin(folder, start)


def nothing_to_do() -> None: ...


def replayed(folder: RunFolder, index: int) -> ReplayedStart:
    start = make_start(folder, RecordedStart(evaluation_id=EVALUATION, episode=0, index=index), nothing_to_do)
    assert isinstance(start, ReplayedStart)
    return start


def test_a_recorded_episode_is_replayed_up_to_the_cell(tmp_path: Path) -> None:
    folder = make_run(tmp_path, **LAKE)
    steps = record(folder, [LEFT, DOWN, DOWN, RIGHT, DOWN, RIGHT, LEFT], seed=3)
    index = len(steps) - 2
    episode = begin(folder, replayed(folder, index))
    assert (episode.newest.observation, episode.newest.cell) == (steps[index].observation, steps[index].cell)
    assert (episode.newest.number, episode.newest.episode_return) == (0, 0.0)
    assert episode.take_action(LEFT).number == 1


def test_the_time_limit_counts_from_the_cell_of_a_recorded_episode(tmp_path: Path) -> None:
    folder = make_run(tmp_path, **FIRM)
    record(folder, [LEFT] * 50 + [DOWN, DOWN], seed=3)
    episode = begin(folder, replayed(folder, 51))
    assert episode.newest.cell == 4
    steps = [episode.take_action(LEFT) for _ in range(100)]
    assert [step.number for step in steps if step.truncated] == [100]


def test_an_environment_that_does_not_repeat_the_record_begins_nothing(tmp_path: Path) -> None:
    folder = make_run(tmp_path, **FIRM)
    record(folder, [DOWN, DOWN, RIGHT], seed=3)
    change_value(folder.evaluations.steps_path(EVALUATION), "observation", 1, lambda _: [0])
    with pytest.raises(NothingToPlay, match="did not repeat the recorded episode that leads to this cell"):
        begin(folder, replayed(folder, 3))


def test_a_deleted_recording_and_a_dropped_state_say_what_helps(tmp_path: Path) -> None:
    folder = make_run(tmp_path, **FIRM)
    with pytest.raises(NothingToPlay, match="has been deleted meanwhile"):
        replayed(folder, 3)
    record(folder, [DOWN], seed=3)
    with pytest.raises(NothingToPlay, match="has been deleted meanwhile"):
        make_start(folder, RecordedStart(evaluation_id=EVALUATION, episode=4, index=1), nothing_to_do)


def test_the_shortest_way_to_a_cell_is_found_in_the_records(tmp_path: Path) -> None:
    folder = make_run(tmp_path, **FIRM)
    ids = [f"eval_20261121-01431{place}-001" for place in range(3)]
    record(folder, [LEFT, DOWN, DOWN], seed=3, evaluation_id=ids[0])
    record(folder, [DOWN, DOWN, DOWN], seed=3, evaluation_id=ids[1])
    record(folder, [DOWN, RIGHT], seed=3, evaluation_id=ids[2])
    paths = {name: folder.evaluations.steps_path(name) for name in ids}
    assert find_cell(paths, folder.path, 8, 60.0) == CellVisits(CellStep(ids[1], 0, 2), ends=False)
    assert find_cell(paths, folder.path, 5, 60.0) == CellVisits(None, ends=True), "the hole ends the episode"
    assert find_cell(paths, folder.path, 15, 60.0) == CellVisits(None, ends=False)
    paths["eval_20261121-014319-001"] = folder.evaluations.steps_path("eval_20261121-014319-001")
    folder.evaluations.steps_path(ids[1]).write_bytes(b"damaged")
    assert find_cell(paths, folder.path, 8, 60.0).first == CellStep(ids[0], 0, 3), "others are still read"


def test_a_search_for_a_cell_that_takes_too_long_returns_what_was_found(tmp_path: Path) -> None:
    folder = make_run(tmp_path, **FIRM)
    ids = [f"eval_20261121-01431{place}-001" for place in range(2)]
    record(folder, [LEFT, DOWN, DOWN], seed=3, evaluation_id=ids[0])
    record(folder, [DOWN, DOWN], seed=3, evaluation_id=ids[1])
    paths = {name: folder.evaluations.steps_path(name) for name in ids}
    times = count()
    found = find_cell(paths, folder.path, 8, seconds=3.0, clock=lambda: float(next(times)))
    assert found == CellVisits(CellStep(ids[0], 0, 3), ends=False, is_cut=True)


def test_a_search_for_a_cell_skips_records_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_run(tmp_path, **FIRM)
    ids = [f"eval_20261121-01431{place}-001" for place in range(2)]
    for name in ids:
        record(folder, [DOWN, DOWN], seed=3, evaluation_id=name)
    paths = {name: folder.evaluations.steps_path(name) for name in ids}

    class SmallFile(StepFile):
        def __init__(self, path: Path, within: Path) -> None:
            if path == paths[ids[0]]:
                raise MemoryError
            super().__init__(path, within)

    monkeypatch.setattr(confined_reading, "StepFile", SmallFile)
    assert find_cell(paths, folder.path, 8, 60.0) == CellVisits(CellStep(ids[1], 0, 2), ends=False, is_cut=True)


class Third:
    """Begins two steps from the middle of the line."""

    def __init__(self) -> None:
        self.count = 0

    def restore_in(self, env: Env, seed: int) -> tuple[Any, dict[str, Any]]:
        self.count += 1
        env.reset(seed=seed)
        for _ in range(3):
            found = env.step(2)
        return found[0], {}


def test_episodes_from_a_cell_count_from_there_and_are_not_stored() -> None:
    start = Third()
    rig = Rig(SessionMode.WATCH, Walker(100, 2), start=start)
    rig.look()
    played = rig.steps(6)
    first = played[0]
    assert isinstance(first.observation, list)
    assert (first.index, first.episode_return) == (0, 0.0)
    assert first.observation == pytest.approx([3.0], abs=0.1)
    assert [record.index for record in played] == [0, 1, 2, 3, 0, 1], "the next episode begins there too"
    assert rig.sunk == []


def test_going_back_leads_to_the_cell_again() -> None:
    start = Third()
    rig = Rig(SessionMode.STEP, Walker(100, 2), start=start)
    rig.look()
    first = rig.steps(1)[0]
    rig.want(type="step")
    rig.steps(1)
    rig.want(type="back")
    assert rig.steps(1)[0].observation == first.observation
    rig.want(type="part", value=0)
    rig.run(1)
    assert rig.other[0][0].index == 0
    assert rig.other[0][0].observation == first.observation, "the second future begins there too"


def test_a_snapshot_without_the_state_says_what_helps(tmp_path: Path) -> None:
    folder = make_run(tmp_path, **FIRM)
    with pytest.raises(Exception, match="This run has no snapshot"):
        make_start(folder, ArchivedStart(snapshot="00000001024", cell=4), nothing_to_do)
