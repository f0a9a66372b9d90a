"""Value slices equal the policy's values point by point."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from rlviz.domain.clips import RESOLUTION, ClipRecord, ClipRequest, SlicePlan, check_clip_id
from rlviz.domain.errors import InvalidRequest, NotSliceable
from rlviz.domain.spaces import Space, box, discrete
from rlviz.learning.algorithms.policy import TrainedPolicy
from rlviz.learning.algorithms.reading import Reading
from rlviz.learning.playing.clips import make_clips
from rlviz.learning.playing.evaluate import load_policy
from rlviz.learning.playing.value_slice import value_slice
from rlviz.learning.training.watched import train_run
from rlviz.rundir.clips import Clips
from rlviz.rundir.folder import RunFolder
from rlviz.server.evaluations.seen import _check_sliceable, _numbers, _place
from tests.support.training import make_run


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    folder = make_run(tmp_path_factory.mktemp("runs"), algo="dqn")
    assert train_run(folder)
    return folder


def request_of(folder: RunFolder, plan: SlicePlan, keep_bytes: int = 1_000_000) -> ClipRequest:
    policy = folder.newest_policy()
    assert policy is not None
    return ClipRequest(
        id=plan.slice_id(7),
        kind="slice",
        seed=0,
        greedy=True,
        steps=[7],
        policies=[policy.relative_to(folder.path).as_posix()],
        keep_bytes=keep_bytes,
        plan=plan,
    )


def test_every_point_is_the_greatest_q_value_of_the_policy_there(trained: RunFolder) -> None:
    clips, plan = Clips(trained), SlicePlan(x=2, y=0, at=[9.0, 0.3, 9.0, -0.4])
    request = request_of(trained, plan)
    clips.requests.add(request)
    make_clips(trained, idle_seconds=0.05)
    record, found = clips.find(request.id), clips.find_slice(request.id)
    assert record is not None
    assert (record.cause, record.kind) == (None, "slice")
    assert found is not None
    assert found.kind == "q"
    assert (found.x.high, found.y.high) == pytest.approx((0.41887903, 4.8))
    policy = load_policy(trained, "dqn", request.policies[0])
    for row, column in ((0, 0), (5, 40), (63, 1)):
        x = np.linspace(found.x.low, found.x.high, RESOLUTION)[column]
        y = np.linspace(found.y.low, found.y.high, RESOLUTION)[row]
        seen = np.array([[y, 0.3, x, -0.4]], np.float32)
        read = policy.read(seen, np.array([0])).q_values
        assert read is not None
        assert found.values[row][column] == pytest.approx(read.max(), rel=1e-5)


def test_an_unreadable_slice_is_answered_with_the_cause(trained: RunFolder) -> None:
    clips, plan = Clips(trained), SlicePlan(x=0, y=1, at=[0.0])
    request = request_of(trained, plan)
    clips.requests.add(request)
    make_clips(trained, idle_seconds=0.05)
    record = clips.find(request.id)
    assert record is not None
    assert "4 numbers" in str(record.cause)
    assert clips.find_slice(request.id) is None


def test_old_slices_are_removed_like_old_videos(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, "dqn-cartpole-slices")
    folder.path.mkdir()
    clips = Clips(folder)
    clips.requests.make_folders()
    old, new = (SlicePlan(x=0, y=place).slice_id(1) for place in (1, 2))
    for name in (old, new):
        clips.slice_path(name).write_bytes(b"x" * 1_000)
        clips.requests.answer(ClipRecord(id=name, kind="slice", seed=0, greedy=True))
    clips.retire(1_500, spare=new)
    assert not clips.slice_path(old).exists()
    assert clips.slice_path(new).exists()


class Table:
    """Stands in for a network: the components have the weights one, ten, a hundred …"""

    def __init__(self, space: spaces.Space[Any]) -> None:
        self.model = SimpleNamespace(observation_space=space)

    def predict(self, observations: Any, deterministic: bool = False) -> tuple[Any, None]:
        return np.zeros(len(observations)), None

    def read(self, observations: Any, actions: Any) -> Reading:
        return Reading(value=observations @ 10.0 ** np.arange(observations.shape[1]))


def table(*bounds: tuple[float, float]) -> TrainedPolicy:
    low, high = np.array(bounds, np.float32).T
    found: Any = Table(spaces.Box(low, high))
    return found


def test_rows_are_y_and_columns_are_x_from_their_lowest_value() -> None:
    found = value_slice(table((0, 1), (0, 10), (0, 4)), SlicePlan(x=0, y=1), None)
    assert found.kind == "value"
    corners = [found.values[row][column] for row, column in ((0, 0), (0, -1), (-1, 0), (-1, -1))]
    assert corners == [200, 201, 300, 301]  # the third component stands in the middle of its bounds
    assert (found.low, found.high) == (200, 301)


def test_an_unbounded_component_spans_what_was_seen_or_the_vicinity_of_its_held_value() -> None:
    endless = table((-np.inf, np.inf), (-3.4e38, 3.4e38))
    seen = np.array([-10.0, 0.0]), np.array([10.0, 0.0])
    found = value_slice(endless, SlicePlan(x=0, y=1, at=[0.0, 5.0]), seen)
    assert (found.x.low, found.x.high) == (-11, 11)
    assert (found.y.low, found.y.high) == (2, 8)


def test_a_small_box_of_rows_and_columns_is_sliced_component_by_component() -> None:
    grid: Any = Table(spaces.Box(0, 1, (2, 2), np.float32))
    grid.read = lambda observations, _actions: Reading(value=observations[:, 1, 0] * 10 + observations[:, 0, 1])
    found = value_slice(grid, SlicePlan(x=1, y=2), None)
    assert [found.values[row][column] for row, column in ((0, 0), (0, -1), (-1, 0))] == [0, 1, 10]
    _check_sliceable(box(shape=(2, 2)))


def test_a_space_without_two_numeric_components_is_refused() -> None:
    nothing: Any = Table(spaces.Discrete(4))
    with pytest.raises(NotSliceable):
        value_slice(nothing, SlicePlan(x=0, y=1), None)


@pytest.mark.parametrize(
    ("space", "remedy"),
    [
        (discrete(16), "Q-table"),
        (box(shape=(96, 96, 3), dtype="uint8"), "what the agent saw"),
        (box(shape=(40, 40)), "a few numbers"),
        (box("alone"), "two components"),
    ],
)
def test_spaces_that_cannot_be_sliced_say_what_to_do(space: Space, remedy: str) -> None:
    with pytest.raises(InvalidRequest, match=remedy):
        _check_sliceable(space)


def test_components_are_selected_by_index_or_name_and_an_unknown_one_gets_the_nearest_match() -> None:
    space = box("position", "speed")
    assert [_place(space, "x", text) for text in ("1", "position")] == [1, 0]
    with pytest.raises(InvalidRequest, match="Did you mean 'speed'"):
        _place(space, "x", "sped")
    with pytest.raises(InvalidRequest, match="are 0 to 1"):
        _place(space, "x", "2")
    for text in ("0", "0,nan", "0,x", "0,1,2"):
        with pytest.raises(InvalidRequest, match="umber"):
            _numbers(space, text)


def test_a_slice_id_has_the_form_of_a_clip_id_and_includes_the_held_values() -> None:
    plan = SlicePlan(x=0, y=1, at=[1, 2, 3])
    assert check_clip_id(plan.slice_id(5)) == SlicePlan(x=0, y=1, at=[8, 9, 3]).slice_id(5)
    assert plan.slice_id(5) != SlicePlan(x=0, y=1, at=[1, 2, 4]).slice_id(5)
    assert plan.slice_id(5) != SlicePlan(x=0, y=1).slice_id(5)
