"""When snapshots are taken, and their writing beside the training thread."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import torch
from stable_baselines3 import PPO

from rlviz.domain.config import RunConfig, SnapshotPlan
from rlviz.domain.environment import CustomEnvironment, StateKept
from rlviz.domain.events import EventKind
from rlviz.domain.snapshots import Trigger
from rlviz.domain.spaces import Space
from rlviz.learning.training.journals import Recomputed, RunJournals
from rlviz.learning.training.snapshot import capture as archive
from rlviz.learning.training.snapshot.capture import Captured, read_archive
from rlviz.learning.training.snapshot.schedule import FIRST_SHARE, SHORTEST_SECONDS, Snapshots, Subject, Writer
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import SnapshotRequest
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import snapshots_of
from tests.support.snapshots import BUILT, ORIGIN, names, written
from tests.support.stubborn import Counting
from tests.support.training import checkpoints, events, kinds, make_run, messages, rows, snapshots

EASY = CustomEnvironment(
    entry_point=f"{Counting.__module__}:{Counting.__name__}",
    summary="",
    observation_space=Space("Box", shape=(2,)),
    action_space=Space("Discrete", n=2),
    reward_threshold=-1_000.0,
    max_episode_steps=30,
    render_fps=10,
    state_kept_by=StateKept.REPLAY,
).model_dump()
"""Whatever is done there reaches the threshold."""


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Taken:
    """Snapshots of a simulated training at the step that ``at`` sets."""

    def __init__(self, folder: RunFolder, answered: int = 0, **plan: Any) -> None:
        self.folder, self.clock, self.journals = folder, Clock(), RunJournals(folder)
        self.captured: list[int] = []
        self.subject = Subject(folder.run_id, 1, BUILT, ORIGIN)
        self.snapshots = Snapshots(
            folder,
            SnapshotPlan(**plan),
            self.journals,
            self._capture,
            self.subject,
            answered=answered,
            monotonic=self.clock,
        )
        self._step = 0
        self.requests: list[SnapshotRequest] = []

    def ask(self, name: str | None = None, message: str = "") -> None:
        """Request a snapshot as a user; both the watcher and the trainer receive it."""
        self.requests.append(SnapshotRequest(number=len(self.requests) + 1, name=name, message=message))
        self.snapshots.requested.add_requests(self.requests)
        self.snapshots.requested.add_requests(self.requests)

    def _capture(self, point: Any) -> Captured:
        self.captured.append(self._step)
        return Captured(self._step, point, 0, b"state", {}, ())

    def at(self, step: int, seconds: float) -> None:
        """Start a rollout at that step and time."""
        self._step, self.clock.now = step, seconds
        self.snapshots.check_clock()
        if self.snapshots.is_due(step, is_evaluated=False):
            self.snapshots.take_due(step)
        self.snapshots.flush()


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path)


@pytest.fixture
def quick_switches() -> Iterator[None]:
    """Make threads switch as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_a_snapshot_is_written_at_its_step_interval(folder: RunFolder) -> None:
    taken = Taken(folder, every_steps=1_000, every_seconds=None, keep=10)
    for step in range(0, 3_100, 128):
        taken.at(step, 0.0)
    assert names(folder) == ["1024", "2048", "3072"]


def test_a_snapshot_is_written_at_its_time_interval(folder: RunFolder) -> None:
    taken = Taken(folder, every_seconds=60.0)
    for second in range(0, 200, 25):
        taken.at(second * 10, float(second))
    assert names(folder) == ["750", "1500"]


def test_between_snapshots_training_is_captured_in_memory_for_a_stop(folder: RunFolder) -> None:
    taken = Taken(folder, every_seconds=60.0)
    taken.at(2, SHORTEST_SECONDS * FIRST_SHARE / 2)
    assert taken.captured == []
    taken.at(5, SHORTEST_SECONDS / 2)
    taken.at(8, SHORTEST_SECONDS)
    assert taken.captured == [5], "the first soon, for a run that ends within a moment"
    taken.at(10, 1.5 * SHORTEST_SECONDS + 0.1)
    taken.at(11, 1.5 * SHORTEST_SECONDS + 0.2)
    assert taken.captured == [5, 10]
    assert names(folder) == []
    assert taken.snapshots.write_newest(Trigger.STOPPED) == 10
    taken.snapshots.flush()
    assert [(one.name, one.manifest.trigger) for one in snapshots_of(folder)] == [("10", Trigger.STOPPED)]


def test_a_plan_without_intervals_takes_only_requested_snapshots(folder: RunFolder) -> None:
    taken = Taken(folder, every_seconds=None)
    taken.at(100, 100.0)
    assert taken.captured == []
    taken.ask("before-lunch", "It walks.")
    taken.at(200, 100.0)
    [found] = snapshots_of(folder)
    assert (found.name, found.manifest.step, found.manifest.message) == ("before-lunch", 200, "It walks.")
    assert found.manifest.is_named


def test_a_snapshot_that_cannot_be_written_raises_a_warning_and_the_next_one_is_tried(folder: RunFolder) -> None:
    taken = Taken(folder, every_steps=100, every_seconds=None)
    folder.snapshots.write_bytes(b"in the way")
    taken.at(100, 0.0)
    assert "The snapshot of step 100 could not be saved" in messages(folder)[0]
    folder.snapshots.unlink()
    taken.at(200, 0.0)
    assert names(folder) == ["200"]


def test_a_requested_snapshot_replaces_one_that_is_due(folder: RunFolder) -> None:
    taken = Taken(folder, every_steps=100, every_seconds=None)
    taken.snapshots.note_solved()
    taken.at(128, 0.0)
    taken.ask("mine")
    taken.at(256, 0.0)
    assert [event.data.name for event in events(folder, EventKind.SNAPSHOT)] == ["128", "mine", "256"]
    assert snapshots_of(folder)[0].manifest.trigger is Trigger.SOLVED


def test_a_user_request_is_taken_once_and_its_event_names_it(
    folder: RunFolder,
) -> None:
    taken = Taken(folder, every_seconds=None, answered=1)
    taken.ask("of-an-earlier-attempt")
    taken.ask("mine")
    for step in (100, 200):
        taken.at(step, 0.0)
    assert names(folder) == ["mine"]
    assert [event.data.request for event in events(folder, EventKind.SNAPSHOT)] == [2]
    assert taken.snapshots.requested.answered == 2


def test_a_user_request_waits_until_training_no_longer_replays(folder: RunFolder) -> None:
    taken = Taken(folder, every_steps=100, every_seconds=None)
    recorded = [{"seq": 1, "step": 200, "values": {"episode/reward": 1.0}}]
    taken.journals.expect(
        Recomputed("0", 0, recorded, last=1, attempt=2, leave_behind=lambda _step: pytest.fail("it diverged"))
    )
    taken.ask("mine")
    assert not taken.snapshots.is_due(50, is_evaluated=False)
    taken.at(128, 0.0)
    assert names(folder) == ["128"]
    taken.journals.metrics(200, {"episode/reward": 1.0})
    taken.at(256, 0.0)
    assert names(folder) == ["128", "256", "mine"]


def test_a_request_pending_at_the_end_is_taken_at_the_end(folder: RunFolder) -> None:
    taken = Taken(folder, every_seconds=None)
    taken.ask("mine")
    taken.snapshots.take_last(Trigger.FINISHED)
    taken.snapshots.flush()
    [found] = snapshots_of(folder)
    assert (found.name, found.manifest.point) == ("mine", "end")
    taken.snapshots.requested.warn_of_waiting(0)
    assert messages(folder) == []


def test_a_request_pending_at_a_stop_raises_a_warning(folder: RunFolder) -> None:
    taken = Taken(folder, every_seconds=None)
    for name in ("mine", None, None):
        taken.ask(name)
    taken.snapshots.requested.warn_of_waiting(100)
    assert [message.split(" that was requested was not taken: ")[0] for message in messages(folder)] == [
        "The snapshot mine",
        "A snapshot",
    ]
    assert taken.snapshots.requested.answered == 0, "so that the next attempt takes them"


def test_a_snapshot_with_an_existing_name_does_not_replace_it(folder: RunFolder) -> None:
    """Its worker was killed after writing it, or another snapshot got that name meanwhile."""
    written(folder, 100, name="mine", is_named=True, message="It walks.")
    taken = Taken(folder, every_seconds=None)
    taken.ask("mine", "It runs.")
    taken.at(200, 0.0)
    [found] = snapshots_of(folder)
    assert (found.manifest.step, found.manifest.message) == (100, "It walks.")
    [event] = events(folder, EventKind.SNAPSHOT)
    assert (event.step, event.data.name, event.data.request) == (100, "mine", 1)


def test_rows_counted_by_a_snapshot_are_on_disk_before_it(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that resumes from it does not compute the rows again: if they were not on disk, a kill would lose "
    "them."""
    taken, found = Taken(folder, every_steps=100, every_seconds=None), list[int]()
    write_archive = archive.write_archive

    def look(*given: Any) -> Any:
        found.append(len(rows(folder)))
        return write_archive(*given)

    monkeypatch.setattr(archive, "write_archive", look)
    for step in (50, 100):
        taken.journals.metrics(step, {"episode/reward": 1.0})
    taken.at(128, 0.0)
    assert found == [2]


def test_a_snapshot_of_a_best_policy_belongs_to_the_rollout_that_evaluated_it(folder: RunFolder) -> None:
    taken = Taken(folder, every_steps=None, every_seconds=3_600.0)
    assert not taken.snapshots.is_due(128, is_evaluated=False)
    assert taken.snapshots.is_due(128, is_evaluated=True)
    taken.snapshots.take_due(0)
    taken.snapshots.note_best(0)
    taken.snapshots.flush()
    [found] = snapshots_of(folder)
    assert (found.manifest.step, found.manifest.trigger) == (0, Trigger.BEST)
    taken.snapshots.note_best(256)
    taken.at(384, 0.0)
    assert snapshots_of(folder)[-1].manifest.step == 384, "where that was not captured, the next that can be"


def test_a_new_plan_applies_from_the_next_rollout(folder: RunFolder) -> None:
    taken = Taken(folder, every_steps=None, every_seconds=None)
    assert not taken.snapshots.is_due(128, is_evaluated=True)
    taken.snapshots.set_plan(SnapshotPlan(every_steps=200, every_seconds=None, keep=1))
    taken.at(128, 0.0)
    assert names(folder) == []
    for step in (256, 384, 512):
        taken.at(step, 0.0)
    assert names(folder) == ["512"]
    assert [event.data.name for event in events(folder, EventKind.SNAPSHOT)] == ["256", "512"]


@pytest.mark.usefixtures("quick_switches")
def test_a_plan_set_while_a_rollout_starts_applies_from_the_next_one(folder: RunFolder) -> None:
    off = SnapshotPlan(every_steps=None, every_seconds=None)
    taken = Taken(folder, **off.model_dump())
    for number in range(300):
        plan = SnapshotPlan(every_steps=100, every_seconds=None, keep=1 + number % 2)
        asks = Thread(target=taken.snapshots.set_plan, args=(plan,))
        asks.start()
        while asks.is_alive():
            taken.snapshots.take_due(0)
        assert taken.snapshots.is_due(100, is_evaluated=False), number
        taken.snapshots.set_plan(off)
        taken.snapshots.take_due(0)


def test_jobs_behind_a_failing_one_are_still_written(capsys: pytest.CaptureFixture[str]) -> None:
    writer, done = Writer(), list[str]()
    writer.submit(partial(int, "no number"))
    writer.submit(partial(done.append, "the next"))
    writer.flush()
    writer.close()
    assert done == ["the next"]
    assert "ValueError" in capsys.readouterr().err


def test_the_event_describes_the_written_snapshot(folder: RunFolder) -> None:
    taken = Taken(folder, every_steps=100, every_seconds=None)
    taken.at(128, 0.0)
    [event] = events(folder, EventKind.SNAPSHOT)
    assert (event.step, event.data.name, event.data.trigger) == (128, "128", Trigger.PERIODIC)
    assert event.data.bytes == folder.snapshot_path("128").stat().st_size


def test_a_run_ends_with_a_snapshot_of_its_end(tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=128, snapshots=snapshots(every_seconds=3_600.0))
    assert train_run(folder)
    [found] = snapshots_of(folder)
    assert (found.manifest.step, found.manifest.point, found.manifest.trigger) == (128, "end", Trigger.FINISHED)
    assert kinds(folder) == ["started", "finished"]
    assert [event.event for event in events(folder)] == ["started", "snapshot", "finished"]


def test_a_better_policy_triggers_a_snapshot(tmp_path: Path) -> None:
    folder = make_run(
        tmp_path,
        total_timesteps=1_024,
        evaluation={"every_steps": 200, "episodes": 2, "stop_after": None},
        snapshots=snapshots(every_seconds=3_600.0, keep=1),
    )
    assert train_run(folder)
    best, last = snapshots_of(folder)
    assert (best.manifest.trigger, last.manifest.trigger) == (Trigger.BEST, Trigger.FINISHED)
    contents = read_archive(folder, best.name)
    kept = PPO.load(folder.best_model_path).policy.state_dict()
    assert all(torch.equal(kept[name], value) for name, value in contents.tensors["states"]["policy"].items())


def test_reaching_the_reward_threshold_triggers_a_snapshot_the_first_time(tmp_path: Path) -> None:
    folder = make_run(
        tmp_path,
        env_id="Counting",
        custom_environment=EASY,
        total_timesteps=1_024,
        evaluation={"every_steps": 300, "episodes": 1, "stop_after": None},
        snapshots=snapshots(every_seconds=3_600.0, keep=1),
    )
    assert train_run(folder)
    triggers = [event.data.trigger for event in events(folder, EventKind.SNAPSHOT)]
    assert triggers.count(Trigger.SOLVED) == 1
    assert Trigger.SOLVED in [one.manifest.trigger for one in snapshots_of(folder)], "and it stays"


def test_a_configuration_older_than_snapshots_gets_the_current_plan(tmp_path: Path) -> None:
    folder = make_run(tmp_path, checkpoints=checkpoints())
    old = folder.read_config().model_dump(mode="json", exclude={"snapshots"})
    assert RunConfig.model_validate(old).snapshots == SnapshotPlan()
