"""The best policy of a run after a rollback discarded a better one."""

from __future__ import annotations

import pytest

from rlviz.domain.events import BestData, EventData, EventRecord, RollbackData, StartedData, Stretch
from rlviz.server.catalog.projection.events import EventsProjection
from rlviz.stats.solved import Evaluated, solved_by_evaluations


def best(mean: float) -> BestData:
    return BestData(path="best_model.zip", mean_return=mean, std_return=1.0, episodes=5)


def told(*events: tuple[int, EventData]) -> EventsProjection:
    found = EventsProjection()
    for seq, (step, data) in enumerate(events, start=1):
        found.apply_event(EventRecord(seq=seq, time=1_000.0 + seq, step=step, data=data))
    return found


def solved_step(found: EventsProjection, *asked: Evaluated) -> int | None:
    """Return the step at which evaluations showed the run to be solved."""
    solved = solved_by_evaluations(450.0, [*found.chosen_by, *found.drop_discarded(asked)])
    return None if solved is None else solved.step


BACK = (RollbackData(snapshot="400", superseded=Stretch(first=5, last=9, attempt=2, beyond=400)),)


@pytest.mark.parametrize(
    ("before", "step", "solved"),
    [
        ([(100, 50.0)], 100, None),
        ([(100, 50.0), (800, 490.0)], None, None),  # its file held the later one, which lies in behind/
        ([(100, 460.0), (800, 490.0)], None, 100),  # that it was solved by then stays true
        ([(800, 490.0)], None, None),
    ],
)
def test_the_best_policy_after_a_rollback_is_the_best_that_counts_and_still_exists(
    before: list[tuple[int, float]], step: int | None, solved: int | None
) -> None:
    begun = [(0, StartedData(attempt=1)), *((at, best(mean)) for at, mean in before)]
    back = [(400, StartedData(attempt=2, snapshot="400")), (400, *BACK)]
    found = told(*begun, *back)
    assert (found.best_policy["step"] if found.best_policy else None) == step
    assert solved_step(found) == solved
    again = told(*begun, *back, (600, best(470.0)))
    assert again.best_policy is not None
    assert (again.best_policy["step"], again.best_policy["mean_return"]) == (600, 470.0)
    assert solved_step(again) == (solved or 600)


@pytest.mark.parametrize(
    ("name", "step", "asked_at", "solved"),
    [
        ("of a policy that is kept", 300, 1_001.5, 300),
        ("of a policy that was discarded afterwards", 800, 1_001.5, None),
        ("of a policy that was trained again", 800, 1_009.0, 800),
    ],
)
def test_an_evaluation_of_a_policy_that_was_discarded_does_not_count(
    name: str, step: int, asked_at: float, solved: int | None
) -> None:
    found = told((0, StartedData(attempt=1)), (400, StartedData(attempt=2, snapshot="400")), (400, *BACK))
    assert solved_step(found, Evaluated(step, asked_at, 490.0)) == solved
