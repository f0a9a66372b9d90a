"""When the results of an experiment are computed before a request."""

from __future__ import annotations

from threading import Event

from rlviz.server.events import TrialsChanged
from rlviz.server.experiments.results.service import ResultsPreparer

LONG = 30.0


class Prepared:
    def __init__(self) -> None:
        self.ids: list[str] = []
        self.once = Event()

    def __call__(self, experiment_id: str) -> None:
        self.ids.append(experiment_id)
        self.once.set()
        if experiment_id == "damaged":
            raise OSError("It cannot be read.")


def wait_for(prepared: Prepared) -> None:
    assert prepared.once.wait(LONG)
    prepared.once.clear()


def test_an_ended_experiment_is_prepared_immediately_and_a_running_one_later() -> None:
    prepared = Prepared()
    preparer = ResultsPreparer(prepared, between=LONG)
    preparer.handle_trials(TrialsChanged("going", is_over=False))
    wait_for(prepared)
    for _ in range(3):
        preparer.handle_trials(TrialsChanged("going", is_over=False))
    preparer.handle_trials(TrialsChanged("over", is_over=True))
    wait_for(prepared)
    assert prepared.ids == ["going", "over"]
    preparer.close()
    assert prepared.ids == ["going", "over"]


def test_an_experiment_that_cannot_be_prepared_blocks_no_other() -> None:
    prepared = Prepared()
    preparer = ResultsPreparer(prepared)
    preparer.handle_trials(TrialsChanged("damaged", is_over=True))
    wait_for(prepared)
    preparer.handle_trials(TrialsChanged("whole", is_over=True))
    wait_for(prepared)
    preparer.close()
    preparer.handle_trials(TrialsChanged("late", is_over=True))
    assert prepared.ids == ["damaged", "whole"]
