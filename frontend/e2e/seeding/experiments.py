"""Experiments in every state that a page can show, from runs that no test has to train."""

from __future__ import annotations

from pathlib import Path
from random import Random

from rlviz.domain.config import ExperimentPlace
from rlviz.domain.events import EventKind
from rlviz.domain.experiments import ExperimentControl, ExperimentSpec, TrialState, new_experiment_id
from rlviz.domain.times import utc
from rlviz.rundir.experiment_folder import SPECIFICATION, ExperimentFolder, StoredExperiment
from rlviz.services.experiments.book import ExperimentBook, Trial
from seeding.curves import Skill
from seeding.story import HOUR, Author

STEPS = 8_000


def write_experiments(root: Path) -> dict[str, str]:
    """Ids by what they are there for."""
    author = Author(root)
    wide = _write(author, "Forty learning rates", 50.0, variants=40, seeds=10, ended=370)
    small = _write(author, "PPO or DQN on CartPole", 40.0, variants=2, seeds=5, ended=10)
    stopped = _write(author, "Stopped at noon", 30.0, variants=3, seeds=5, ended=7, paused=2)
    failed = _write(author, "One of them snaps", 20.0, variants=3, seeds=5, ended=4, fails=True)
    damaged = _write(author, "Its file was cut", 10.0, variants=2, seeds=2, ended=4)
    (damaged.folder.path / SPECIFICATION).write_text('{"schema_version": 1, "id": "')
    books = {"wide": wide, "small": small, "stopped_experiment": stopped, "failed_experiment": failed}
    return {**{purpose: book.id for purpose, book in books.items()}, "damaged_experiment": damaged.id}


def _write(
    author: Author,
    name: str,
    hours_ago: float,
    *,
    variants: int,
    seeds: int,
    ended: int,
    paused: int = 0,
    fails: bool = False,
) -> ExperimentBook:
    """``ended``: trials that have a score, of which the first of ``fails`` has none; ``paused``: that wait halfway."""
    spec = ExperimentSpec.model_validate(
        {
            "base": {"algo": "ppo", "env_id": "CartPole-v1", "total_timesteps": STEPS},
            "variants": [{"name": f"PPO, learning rate {1e-4 * (place + 1):.1e}"} for place in range(variants)],
            "seeds": seeds,
            "fail_mode": "fast-fail" if fails else "continue",
        }
    )
    created = utc(author.now - hours_ago * HOUR)
    folder = ExperimentFolder(author.root, new_experiment_id(created))
    folder.create(StoredExperiment(id=folder.id, name=name, created_at=created, specification=spec))
    book = ExperimentBook(folder, lambda: author.now - hours_ago * HOUR)
    trials = list(book.waiting())
    for place, trial in enumerate(trials[: ended + paused]):
        broken = fails and place == ended - 1
        _train(author, book, trial, hours_ago - place / 600, is_paused=place >= ended, is_broken=broken)
    cause = book.fast_failure()
    done = ended == len(trials) or cause is not None
    book.direct(ExperimentControl(desired="end" if done else "stop", cause=cause))
    book.close()
    return book


def _train(
    author: Author, book: ExperimentBook, trial: Trial, hours_ago: float, *, is_paused: bool, is_broken: bool
) -> None:
    random = Random(trial.number)
    best = 500 - 8 * (trial.number // len(book.spec.seed_list)) - 20 * random.random()
    ending, data = EventKind.FINISHED, {}
    if is_paused:
        ending, data = EventKind.INTERRUPTED, {"cause": "Its experiment was stopped."}
    if is_broken:
        ending, data = EventKind.ERROR, {"type": "RuntimeError", "message": "it snapped", "traceback": "…"}
    run = author.run(
        "ppo",
        f"{trial.label}, {book.stored.name}",
        hours_ago=hours_ago,
        total=STEPS,
        steps=STEPS // 2 if is_paused or is_broken else STEPS,
        ending=ending,
        skill=Skill(18, best, 0.25 + 0.3 * random.random()),
        seed=trial.seed,
        data=data,
        experiment=ExperimentPlace(id=book.id, variant=trial.variant, trial=trial.number),
    )
    book.note(trial, TrialState.BEGUN, run.run_id)
    if is_broken:
        book.note(trial, TrialState.FAILED, run.run_id, cause="RuntimeError: it snapped")
    elif not is_paused:
        book.note(trial, TrialState.SCORED, run.run_id, score=round(best + random.gauss(0, 15), 1))
