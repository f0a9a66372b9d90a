"""What step records cost: an evaluation with them against the same without, and filtering 10,000 of them.

Evaluations of one saved CartPole policy, filmed, in interleaved pairs, with the records that the default storage
profile asks for.

    python -m benchmarks records
"""

from __future__ import annotations

import statistics
from datetime import UTC, datetime
from functools import partial

import torch

from benchmarks.evaluation import EPISODE_STEPS, timed, trained_run
from benchmarks.support import Figure, figure, percentile, scratch
from rlviz.domain.evaluation import EvaluationRecord, StepsWanted
from rlviz.domain.ids import new_evaluation_id
from rlviz.domain.storage_profile import DEFAULT
from rlviz.evaluation.evaluate import evaluate
from rlviz.records.query import StepQuery, find_steps
from rlviz.records.reader import StepFile
from rlviz.rundir.folder import RunFolder

EPISODES = 5
PAIRS = 21
LONG_EPISODES = 20
QUESTIONS = 20
WANTED = StepsWanted(frames_every=DEFAULT.frames_every, max_bytes=DEFAULT.max_bytes)


def run(pairs: int = PAIRS) -> list[Figure]:
    torch.set_num_threads(1)
    with scratch() as root:
        folder = trained_run(root)
        ratios, without = [], []
        for number in range(pairs + 1):
            jobs = [partial(_evaluate, folder, None), partial(_evaluate, folder, WANTED)]
            # Which comes first changes from pair to pair; the first pair pays for imports and page faults.
            seconds = [timed(job) for job in (jobs if number % 2 else reversed(jobs))]
            bare, recorded = seconds if number % 2 else reversed(seconds)
            if number > 0:
                ratios.append(recorded / bare)
                without.append(bare)
        evaluation_id = _evaluate(folder, WANTED, LONG_EPISODES, video=False)
        with StepFile(folder.evaluations.steps_path(evaluation_id), folder.path) as file:
            rows = file.rows
        filtering = statistics.median(timed(partial(_filter, folder, evaluation_id)) for _ in range(QUESTIONS))
    what = f"{EPISODES} CartPole episodes of {EPISODE_STEPS} steps with video"
    return [
        figure(f"{what}, without records", statistics.median(without), "s"),
        figure("the same with records against without", statistics.median(ratios), "×", at_most=1.15),
        figure("half of the pairs lie within ±", (percentile(ratios, 75) - percentile(ratios, 25)) / 2, "×"),
        figure(f"filtering {rows:,} records by two conditions", filtering * 1_000, "ms", at_most=50),
    ]


def _evaluate(folder: RunFolder, steps: StepsWanted | None, episodes: int = EPISODES, *, video: bool = True) -> str:
    """Returns the id of the evaluation."""
    now = datetime.now(UTC)
    record = EvaluationRecord(
        id=new_evaluation_id(now),
        run_id=folder.run_id,
        created_at=now,
        episodes=episodes,
        checkpoint="model.zip",
        video=video,
        steps=steps,
    )
    folder.evaluations.write(record)
    summary = evaluate(folder, record.id).summary
    assert summary is not None
    assert (summary.steps is not None) == (steps is not None)
    return record.id


def _filter(folder: RunFolder, evaluation_id: str) -> None:
    """As the API answers, the opening of the file included."""
    with StepFile(folder.evaluations.steps_path(evaluation_id), folder.path) as file:
        found = find_steps(file, StepQuery(where=("action:1", "observation.2:>0"), columns=("index",)))
    assert 0 < found.total < file.rows
