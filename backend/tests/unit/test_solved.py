"""The mean return, and when a run counts as solved."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

from rlviz.domain.events import EventKind
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.folder import row_of_folder
from rlviz.stats.return_curve import ReturnCurve
from rlviz.stats.returns import MEAN_EPISODES, MeanReturn, RecentMean
from rlviz.stats.solved import (
    LEAST_EPISODES,
    Evaluated,
    EvaluationsInARow,
    SolvedAt,
    SolvedBy,
    earlier_of,
    find_solved,
    missing_evidence,
    shown_by_evaluation,
    shown_return,
)
from tests.support.cases import cases
from tests.support.training import make_run

BEGIN = 1_000.0
"""Unix time at which each run here starts; an episode takes one second and ten steps."""


def solved_by_training(returns: list[float], threshold: float | None, batch: int = 10_000) -> int | None:
    """Return the step at which training solved the run, if any."""
    curve = ReturnCurve(threshold)
    for start in range(0, len(returns), batch):
        part = np.array(returns[start : start + batch])
        number = start + 1 + np.arange(len(part))
        curve.extend(10 * number, BEGIN + number, part, np.full(len(part), 10))
    return curve.solved.step if curve.solved else None


@cases(
    ("name", "returns", "threshold", "step"),
    [
        ("no episodes", [], 1, None),
        ("reached from the start, but only a hundred episodes show it", [500.0] * 100, 475, 1_000),
        ("ninety-nine are not enough", [500.0] * 99, 475, None),
        ("met exactly", [475.0] * 100, 475, 1_000),
        ("a hair below", [475.0] * 99 + [474.9], 475, None),
        ("rising slowly", [float(i) for i in range(600)], 475, 5_260),
        ("lost again afterwards", [0.0] * 50 + [500.0] * 100 + [0.0] * 500, 475, 1_450),
        ("one lucky episode", [0.0] * 200 + [1e4] + [0.0] * 200, 475, None),
        ("a negative threshold", [-200.0] * 150 + [-90.0] * 100, -110, 2_320),
        ("no threshold", [500.0] * 200, None, None),
        ("a return that is no number keeps its hundred from counting", [500.0, np.nan, *[500.0] * 150], 475, 1_020),
    ],
)
@cases("batch", [1, 33, 100, 10_000])
def test_training_solves_a_run_at_the_first_full_mean_at_the_threshold(
    name: str, returns: list[float], threshold: float | None, step: int | None, batch: int
) -> None:
    assert solved_by_training(returns, threshold, batch) == step


@pytest.mark.parametrize(
    ("before", "own", "step"),
    [
        ([500.0] * 100, [500.0], 10),
        ([500.0] * 50, [500.0] * 50, 500),
        ([500.0] * 49, [500.0] * 50, None),
        ([0.0] * 100, [500.0] * 95, 950),
        ([None, *[500.0] * 99], [500.0], 10),
        ([*[500.0] * 99, None], [500.0], None),
    ],
    ids=["solved before", "half each", "too few", "learned after", "forgotten", "not known"],
)
def test_the_mean_over_a_hundred_episodes_of_a_fork_includes_its_parent(
    before: list[float | None], own: list[float], step: int | None
) -> None:
    at = np.arange(1.0, len(own) + 1)
    curve = ReturnCurve(475, (before, [10] * len(before)))
    curve.extend(10 * at, BEGIN + at, own, np.full(len(own), 10))
    compared = find_solved(10 * at, BEGIN + at, np.array(own), 475, [], before=before)
    assert (curve.solved, curve.solved and curve.solved.step) == (compared, step)
    assert (curve.count, curve.best is None) == (len(own), len(own) < 20), "all else is of its own episodes"


def test_the_mean_exists_from_the_first_episode_and_drops_the_hundred_and_first() -> None:
    mean = RecentMean()
    assert mean.value is None
    mean.extend(np.array([10.0]))
    assert mean.value == 10
    mean.extend(np.full(MEAN_EPISODES, 20.0))
    assert mean.value == 20


def test_the_displayed_mean_is_the_mean_that_solves() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        returns = rng.normal(100, 30, int(rng.integers(100, 160)))
        shown = RecentMean()
        shown.extend(returns)
        assert shown.value is not None
        at, above = MeanReturn(shown.value), MeanReturn(float(np.nextafter(shown.value, np.inf)))
        last = len(returns) - MEAN_EPISODES
        assert at.find_threshold(returns[last:]) == MEAN_EPISODES - 1
        assert above.find_threshold(returns[last:]) is None


@pytest.mark.parametrize(
    ("threshold", "mean", "shows"), [(475, 475.0, True), (475, 474.9, False), (None, 1e9, False), (475, np.nan, False)]
)
def test_an_evaluation_solves_a_run_at_the_threshold(threshold: float | None, mean: float, shows: bool) -> None:
    assert (shown_by_evaluation(threshold, Evaluated(40, 7.0, mean)) is not None) == shows


@pytest.mark.parametrize(
    ("mean", "episodes", "shown"),
    [(0.76, 100, 0.76), (500.0, LEAST_EPISODES, 500.0), (500.0, LEAST_EPISODES - 1, -np.inf), (np.nan, 50, -np.inf)],
)
def test_an_evaluation_on_request_shows_its_mean_unless_it_is_too_short(
    mean: float, episodes: int, shown: float
) -> None:
    assert shown_return(mean, episodes) == shown


def test_an_evaluation_that_is_too_short_says_how_much_is_missing() -> None:
    assert missing_evidence(0.7, 1.0, 1) == (
        "The mean return of 1.00 reaches the threshold of 0.7000, but one episode may be luck. Evaluate 20 or more to "
        "see whether the run is solved."
    )
    assert "but 5 episodes may be luck" in (missing_evidence(475, 500.0, 5) or "")
    assert missing_evidence(475, 500.0, 20) is None, "it shows it"
    assert missing_evidence(475, 400.0, 5) is None, "it does not reach it"
    assert missing_evidence(None, 500.0, 5) is None
    assert missing_evidence(475, np.nan, 5) is None


@pytest.mark.parametrize(
    ("means", "found"),
    [
        ([500.0, 480.0, 490.0], [(30, 480.0)]),
        ([500.0, 480.0], []),
        ([500.0, 100.0, 500.0, 490.0, 480.0], [(30, 100.0), (50, 480.0)]),
        ([500.0, np.nan, 500.0, 500.0, 480.0], [(50, 480.0)]),
    ],
)
def test_three_periodic_evaluations_in_a_row_show_the_lowest_of_them(
    means: list[float], found: list[tuple[int, float]]
) -> None:
    rows = EvaluationsInARow()
    for number, mean in enumerate(means, start=1):
        rows.add(10 * number, float(number), mean)
    assert [(one.step, one.shown) for one in rows.found] == found


def test_the_lower_of_two_solved_steps_counts_in_any_order() -> None:
    training, evaluation = SolvedAt(50, SolvedBy.TRAINING, 3.0), SolvedAt(50, SolvedBy.EVALUATION, 4.0)
    later = SolvedAt(60, SolvedBy.EVALUATION, 1.0)
    assert earlier_of(training, evaluation) == earlier_of(evaluation, training) == evaluation
    assert earlier_of(later, training) == earlier_of(training, later) == training
    assert earlier_of(None, later) == later
    assert earlier_of(None, None) is None


def write_run(folder: RunFolder, returns: list[float], best: list[tuple[int, float]], ending: EventKind | None) -> None:
    """Write the journals of a run. ``best`` has policies by step and mean return on fresh episodes."""
    now = BEGIN
    with (
        closing(JournalWriter(folder.metrics_path, clock=lambda: now)) as metrics,
        closing(JournalWriter(folder.events_path, clock=lambda: now)) as events,
    ):
        data = {"worker": "somebody"}
        events.append({"event": EventKind.STARTED.value, "step": 0, "data": data})
        for number, value in enumerate(returns, start=1):
            now = BEGIN + number
            values = {"episode/reward": value, "episode/length": 10, "episode/index": number}
            metrics.append({"step": 10 * number, "values": values})
            for step, mean in best:
                if step == 10 * number:
                    figures = {"path": "best_model.zip", "mean_return": mean, "std_return": 1.0, "episodes": 10}
                    events.append({"event": EventKind.BEST.value, "step": step, "data": figures})
        if ending is not None:
            now += 100 if ending is EventKind.INTERRUPTED else 0
            step = 0 if ending is EventKind.INTERRUPTED else 10 * len(returns)
            events.append({"event": ending.value, "step": step, "data": {"path": None, "cause": "It went away."}})


def row_of(folder: RunFolder) -> RunRow:
    return row_of_folder(folder)


@pytest.mark.parametrize(
    ("name", "env_id", "options", "returns", "best", "solved"),
    [
        ("neither", "CartPole-v1", {}, [20.0] * 150, [(500, 300.0)], None),
        ("by training", "CartPole-v1", {}, [480.0] * 150, [], (1_000, "training", 100.0)),
        ("by evaluation", "CartPole-v1", {}, [20.0] * 150, [(500, 474.0), (800, 480.0)], (800, "evaluation", 80.0)),
        ("first by evaluation", "CartPole-v1", {}, [480.0] * 150, [(800, 480.0)], (800, "evaluation", 80.0)),
        ("first by training", "CartPole-v1", {}, [480.0] * 150, [(1_200, 500.0)], (1_000, "training", 100.0)),
        ("a better policy later does not move it", "CartPole-v1", {}, [20.0] * 150, [(500, 480.0), (900, 500.0)],
         (500, "evaluation", 50.0)),
        ("few episodes, by evaluation", "CartPole-v1", {}, [20.0] * 30, [(200, 500.0)], (200, "evaluation", 20.0)),
        ("no threshold", "Pendulum-v1", {}, [0.0] * 150, [(500, 0.0)], None),
        ("an option that takes the threshold away", "Taxi-v4", {"is_rainy": True}, [9.0] * 150, [(500, 9.0)], None),
        ("the same without the option", "Taxi-v4", {}, [9.0] * 150, [], (1_000, "training", 100.0)),
        ("an environment that is not installed", "Gone-v0", {}, [1e9] * 150, [], None),
    ],
)  # fmt: skip
def test_a_run_is_solved_according_to_its_journals(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    env_id: str,
    options: dict[str, bool],
    returns: list[float],
    best: list[tuple[int, float]],
    solved: tuple[int, str, float] | None,
) -> None:
    folder = make_run(tmp_path_factory.mktemp("runs"), env_id=env_id, env_options=options)
    write_run(folder, returns, best, EventKind.FINISHED)
    row = row_of(folder)
    found = None
    if row.solved_step is not None and row.solved_at is not None and row.started_at is not None:
        found = row.solved_step, row.solved_by, row.solved_at - row.started_at
    assert found == solved


@pytest.mark.parametrize("ending", [EventKind.FINISHED, EventKind.STOPPED, EventKind.INTERRUPTED])
def test_the_rate_of_an_ended_run_is_its_steps_per_second_of_training(
    tmp_path_factory: pytest.TempPathFactory, ending: EventKind
) -> None:
    """Ten steps a second; the time until the service detects the worker's exit is no training time."""
    folder = make_run(tmp_path_factory.mktemp("runs"))
    write_run(folder, [20.0] * 50, [], ending)
    assert row_of(folder).fps == 10.0


def test_the_mean_return_does_not_wait_for_the_library_to_log_one(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = make_run(tmp_path_factory.mktemp("runs"))
    write_run(folder, [10.0, 20.0], [], None)
    row = row_of(folder)
    assert (row.ep_rew_mean, row.ep_len_mean) == (15.0, 10.0)
