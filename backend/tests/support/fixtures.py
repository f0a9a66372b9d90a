"""Fixtures that several tiers share; each conftest imports them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from rlviz.learning.training.callback import RunCallback
from rlviz.server.application import Application
from rlviz.server.experiments.results.service import ExperimentSource
from tests.support.finished_experiment import finished_experiment
from tests.support.service import service


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, Callable[[RunCallback], None]], None]:
    """Return a function that schedules an action in the training thread, once, at the given step or the next one."""
    original = RunCallback._on_step

    def arrange(step: int, act: Callable[[RunCallback], None]) -> None:
        waiting = [step]

        def on_step(self: RunCallback) -> bool:
            if waiting and self.num_timesteps >= waiting[0]:
                waiting.clear()
                act(self)
            return original(self)

        monkeypatch.setattr(RunCallback, "_on_step", on_step)

    return arrange


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    """A service without HTTP for the tests of a module."""
    with service(tmp_path_factory.mktemp("runs")) as application:
        yield application


@pytest.fixture(scope="module")
def source(app: Application, tmp_path_factory: pytest.TempPathFactory) -> ExperimentSource:
    """A synthetic finished experiment."""
    return finished_experiment(app, tmp_path_factory.mktemp("experiment"))
