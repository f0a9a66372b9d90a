"""A failure in any function that watches training changes no weight, no outcome and no file of the user."""

from __future__ import annotations

import csv
import traceback
from pathlib import Path
from types import FrameType
from typing import Any

import gymnasium
import pytest
import torch
from stable_baselines3.common.logger import configure

from rlviz.domain.config import EvaluationPlan
from rlviz.domain.registry import load
from rlviz.domain.rules import Rule
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.training import callback, guard
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.sb3 import RunCallback
from tests.support.algorithms import small_model
from tests.support.injecting import Function, callers_of, failing, file_of, is_called_by_product, noting
from tests.support.training import checkpoints, kinds, make_run, snapshots

pytestmark = [
    pytest.mark.timeout(3600),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # a generator that is closed
]

GUARDS = (file_of(guard), "_call")
"""What turns faults into warnings is trusted, and kept short: a file, and a function of ``library/learn_watch.py``."""

Trained = tuple[dict[str, Any], Any]


def differences(expected: Trained, found: Trained) -> list[str]:
    weights = [name for name, value in expected[0].items() if not torch.equal(found[0][name], value)]
    return [f"weights of {weights}"] * bool(weights) + ["what else is left"] * (expected[1] != found[1])


def report(failures: dict[str, str], raised: dict[str, int], least: int) -> None:
    print(f"{len(raised)} functions, {sum(raised.values())} faults, {len(failures)} failures")
    assert sum(1 for count in raised.values() if count) >= least, "too few functions were found"
    assert not failures, "\n".join(f"{function}: {what}" for function, what in failures.items())


# A script of the user's own


def script(folder: Path, kind: str, *callbacks: Any) -> Trained:
    """Run a script, and return its weights and the rows of its own log."""
    model = small_model(kind, gymnasium.make("CartPole-v1", max_episode_steps=7))
    model.set_logger(configure(str(folder), ["csv"]))
    for _ in range(2):
        model.learn(32, callback=list(callbacks), reset_num_timesteps=False, log_interval=1)  # type: ignore[call-arg]
    model.logger.close()
    rows = list(csv.DictReader((folder / "progress.csv").read_text().splitlines()))
    return dict(model.policy.state_dict()), [{n: v for n, v in row.items() if "time/" not in n} for row in rows]


def watches_script(function: Function, frame: FrameType) -> bool:
    """Return whether a function watches the script. Functions that the library calls itself do not count: they contain
    the guards.
    """
    return function.file not in GUARDS and function.name not in GUARDS and is_called_by_product(frame)


PARTS = 6
"""Of the functions, each tried by a test of its own, so that none takes too long."""


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", ["ppo", "dqn"])
def test_failing_watchers_do_not_change_a_script(tmp_path: Path, kind: str, part: int) -> None:
    alone = script(tmp_path / "alone", kind)
    with noting(watches_script) as functions:
        watched = script(tmp_path / "watched", kind, RunCallback(runs_dir=tmp_path / "runs"))
    assert differences(alone, watched) == []
    failures, counts = dict[str, str](), dict[str, int]()
    for number, (function, code) in list(enumerate(functions.items()))[part::PARTS]:
        try:
            with failing(function, code, watches_script) as raised:
                found = script(tmp_path / str(number), kind, RunCallback(runs_dir=tmp_path / f"runs-{number}"))
        except Exception:
            failures[str(function)] = traceback.format_exc()
            continue
        if what := differences(alone, found):
            failures[str(function)] = ", ".join(what)
        counts[str(function)] = len(raised)
    report(failures, counts, least=15)


# A run of the app


def run(root: Path, name: str, algo: str) -> RunFolder:
    """Train a run with everything that may watch it."""
    return make_run(
        root,
        name,
        algo=algo,
        total_timesteps=384,
        anatomy=True,
        evaluation=EvaluationPlan(every_steps=128, episodes=2),
        checkpoints=checkpoints(every_steps=128, film=4),
        snapshots=snapshots(every_steps=128),
        rules=[Rule.model_validate({"when": {"kind": "steps", "steps": 200}, "do": [{"kind": "notify"}]})],
    )


def result(folder: RunFolder, algo: str) -> Trained:
    """Return the weights, and how the run ended."""
    model_class = load(ALGORITHMS.get(algo).model_class)
    weights = dict(model_class.load(folder.model_path).policy.state_dict())
    return weights, [kind for kind in kinds(folder) if kind != "warning"][-1]  # what fails to close warns last


HOOKS = (file_of(callback),)
"""What the library calls in the training thread."""

BESIDE = (
    "Trainer.run_due_work",
    "TrainingComponents.run_due_work",
    "TrainingComponents.take_last_snapshot",
    "TrainingComponents.close",
    "Filmstrip.finish",
    "Steering.close",
    "Writer._run",
    "RunRecorder._write",
    "ControlRequests._pass_on",
    "Trainer._warn_of_waiting_snapshots",
)
"""What calls that which watches at other moments."""

EXACT = ("Continuation.settle", "RunCallback._is_to_end")
"""Part of training: they decide how it continues and when it ends."""


def watches_run(function: Function, frame: FrameType) -> bool:
    if not watches_script(function, frame) or not is_called_by_product(frame) or function.name in EXACT:
        return False
    for code in callers_of(frame):
        caller = Function.of(code)
        if caller is not None and (caller.file in HOOKS or caller.name in BESIDE):
            return True
    return False


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("algo", ["ppo", "dqn"])
def test_failing_watchers_do_not_change_a_run(tmp_path: Path, algo: str, part: int) -> None:
    whole = run(tmp_path, "whole", algo)
    with noting(watches_run) as functions:
        assert train_run(whole)
    alone = make_run(tmp_path, "alone", algo=algo, total_timesteps=384)
    assert train_run(alone)
    expected = result(whole, algo)
    assert differences(result(alone, algo), expected) == []
    failures, counts = dict[str, str](), dict[str, int]()
    for number, (function, code) in list(enumerate(functions.items()))[part::PARTS]:
        folder = run(tmp_path, str(number), algo)
        try:
            with failing(function, code, watches_run) as raised:
                ended = train_run(folder)
            what = differences(expected, result(folder, algo)) + ["its exit status"] * (not ended)
        except Exception:
            what = [traceback.format_exc()]
        if what:
            failures[str(function)] = ", ".join(what)
        counts[str(function)] = len(raised)
    report(failures, counts, least=40)
