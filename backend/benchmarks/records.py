"""Measures the cost of step records: an evaluation with and without them, and filtering 10,000 of them.

The evaluations play a saved policy and film it, in interleaved pairs, with everything that the storage profile of the
environment's family records. On CartPole, and on Pong, where every frame is hashed and observations are kept as images.

    python -m benchmarks records
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch

from benchmarks.evaluation import EPISODE_STEPS, timed, trained_run
from benchmarks.support import Figure, ask_to_evaluate, figure, new_folder, percentile, scratch
from rlviz.domain.evaluation import StepsWanted
from rlviz.domain.recording import Detail
from rlviz.domain.storage_profile import DEFAULT_PROFILES
from rlviz.learning.playing.evaluate import evaluate
from rlviz.learning.records.query import StepQuery, find_steps
from rlviz.learning.records.reader import StepFile
from rlviz.learning.training.builder import build_model, closing_environments
from rlviz.rundir.folder import RunFolder

EPISODES = 5
PAIRS, PONG_PAIRS = 21, 5
LONG_EPISODES = 20
QUESTIONS = 20


def run(pairs: int = PAIRS) -> Iterator[Figure]:
    torch.set_num_threads(1)
    with scratch() as root:
        folder, wanted = trained_run(root), _wanted("classic-control")
        yield from _compared(f"{EPISODES} CartPole episodes of {EPISODE_STEPS} steps", folder, wanted, EPISODES, pairs)
        evaluation_id = _evaluate(folder, wanted, LONG_EPISODES, video=False)
        with StepFile(folder.evaluations.steps_path(evaluation_id), folder.path) as file:
            rows = file.rows
        filtering = statistics.median(timed(partial(_filter, folder, evaluation_id)) for _ in range(QUESTIONS))
        yield figure(f"filtering {rows:,} records by two conditions", filtering * 1_000, "ms", at_most=50)
        yield from _compared("an episode of Pong", _pong(root), _wanted("atari"), 1, PONG_PAIRS)


def _wanted(family: str) -> StepsWanted:
    """Return everything at standard detail, at any cost, because the cost is measured."""
    wanted = DEFAULT_PROFILES[family].wanted(Detail.STANDARD)
    assert wanted is not None
    return wanted.model_copy(update={"most_cost": None})


def _pong(root: Path) -> RunFolder:
    """Create a run of Pong with an untrained policy."""
    folder = new_folder(root, "ppo", 1_000, env_id="ALE/Pong-v5")
    with closing_environments(build_model(folder.read_config())) as model:
        model.save(folder.model_path)
    return folder


def _compared(what: str, folder: RunFolder, wanted: StepsWanted, episodes: int, pairs: int) -> Iterator[Figure]:
    ratios, without = [], []
    for number in range(pairs + 1):
        jobs = [partial(_evaluate, folder, steps, episodes) for steps in (None, wanted)]
        # The order alternates from pair to pair; the first pair includes imports and page faults.
        seconds = [timed(job) for job in (jobs if number % 2 else reversed(jobs))]
        bare, recorded = seconds if number % 2 else reversed(seconds)
        if number > 0:
            ratios.append(recorded / bare)
            without.append(bare)
    yield figure(f"{what} with video, without records", statistics.median(without), "s")
    yield figure(f"{what} with records against without", statistics.median(ratios), "×", at_most=1.15)
    yield figure("half of the pairs lie within ±", (percentile(ratios, 75) - percentile(ratios, 25)) / 2, "×")


def _evaluate(folder: RunFolder, steps: StepsWanted | None, episodes: int, *, video: bool = True) -> str:
    """Run an evaluation and return its id."""
    evaluation_id = ask_to_evaluate(folder, episodes=episodes, video=video, steps=steps)
    summary = evaluate(folder, evaluation_id).summary
    assert summary is not None
    assert (summary.steps is not None) == (steps is not None)
    return evaluation_id


def _filter(folder: RunFolder, evaluation_id: str) -> None:
    """Filter as the API does, including opening the file."""
    with StepFile(folder.evaluations.steps_path(evaluation_id), folder.path) as file:
        found = find_steps(file, StepQuery(where=("action:1", "observation.2:>0"), columns=("index",)))
    assert 0 < found.total < file.rows
