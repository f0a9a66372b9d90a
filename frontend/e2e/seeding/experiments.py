"""Experiments in every state that a page can show, without training."""

from __future__ import annotations

from pathlib import Path
from random import Random

from rlviz.domain.config import ExperimentPlace
from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.events import EventKind
from rlviz.domain.experiments import ExperimentControl, ExperimentSpec, TrialState, new_experiment_id
from rlviz.domain.ids import utc
from rlviz.rundir.experiment_folder import SPECIFICATION, ExperimentFolder, StoredExperiment
from rlviz.server.experiments.open_experiment import OpenExperiment, Trial
from rlviz.server.experiments.scoring import TrialScore
from seeding.curves import Skill
from seeding.story import HOUR, Author

STEPS = 8_000
SEARCHED = 8


def write_ended_experiments(root: Path) -> dict[str, str]:
    """An ended comparison and an ended search by purpose, older than all other runs."""
    author = Author(root)
    small = _write(author, "Two learning rates on CartPole", 160.0, variants=2, seeds=5, ended=10)
    return {"small": small.id, "search": _write_search(author, "Search for PPO on CartPole", 170.0).id}


def write_experiments(root: Path) -> dict[str, str]:
    """Experiments in all other states, by purpose."""
    author = Author(root)
    wide = _write(author, "Forty learning rates", 50.0, variants=40, seeds=10, ended=370)
    stopped = _write(author, "Stopped at noon", 30.0, variants=3, seeds=5, ended=7, paused=2)
    failed = _write(author, "One of them snaps", 20.0, variants=3, seeds=5, ended=4, fails=True)
    damaged = _write(author, "Its file was cut", 10.0, variants=2, seeds=2, ended=4)
    (damaged.folder.path / SPECIFICATION).write_text('{"schema_version": 1, "id": "')
    methods = _write_methods(author, "PPO or A2C on two environments", 15.0)
    experiments = {"wide": wide, "stopped_experiment": stopped, "failed_experiment": failed, "methods": methods}
    return {**{purpose: experiment.id for purpose, experiment in experiments.items()}, "damaged_experiment": damaged.id}


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
) -> OpenExperiment:
    """``ended`` trials have a score, except the first of ``fails``; ``paused`` ones wait halfway."""
    spec = ExperimentSpec.model_validate(
        {
            "base": {"algo": "ppo", "env_id": "CartPole-v1", "total_timesteps": STEPS},
            "variants": [{"name": f"PPO, learning rate {1e-4 * (place + 1):.1e}"} for place in range(variants)],
            "seeds": seeds,
            "fail_mode": "fast-fail" if fails else "continue",
        }
    )
    experiment = _created(author, name, hours_ago, spec)
    trials = list(experiment.waiting())
    for place, trial in enumerate(trials[: ended + paused]):
        broken = fails and place == ended - 1
        _train(author, experiment, trial, hours_ago - place / 600, is_paused=place >= ended, is_broken=broken)
    cause = experiment.fast_failure()
    done = ended == len(trials) or cause is not None
    experiment.write_control(ExperimentControl(desired="end" if done else "stop", cause=cause))
    experiment.close()
    return experiment


def _write_methods(author: Author, name: str, hours_ago: float) -> OpenExperiment:
    """Two methods on two environments each; every trial has a score."""
    places = {"CartPole-v1": {}, "Acrobot-v1": {"env_id": "Acrobot-v1"}}
    variants = [
        {"name": f"{algo.upper()} on {env.removesuffix('-v1')}", "changes": {"algo": algo, **changes}}
        for algo in ("ppo", "a2c")
        for env, changes in places.items()
    ]
    base = {"algo": "ppo", "env_id": "CartPole-v1", "total_timesteps": STEPS}
    spec = ExperimentSpec.model_validate({"base": base, "variants": variants, "seeds": 5})
    experiment = _created(author, name, hours_ago, spec)
    for place, trial in enumerate(list(experiment.waiting())):
        run_spec, random = experiment.run_specs[trial.variant], Random(trial.number)
        worst, best = (18, 480) if run_spec.env_id == "CartPole-v1" else (-500, -85)
        reached = worst + (best - worst) * (0.95 if run_spec.algo == "ppo" else 0.6) * (0.85 + 0.15 * random.random())
        run = author.run(
            "ppo",
            f"{trial.label}, {name}",
            env_id=run_spec.env_id,
            hours_ago=hours_ago - place / 600,
            total=STEPS,
            skill=Skill(worst, reached, 0.25 + 0.3 * random.random()),
            seed=trial.seed,
            experiment=ExperimentPlace(id=experiment.id, variant=trial.variant, trial=trial.number),
        )
        experiment.record(trial, TrialState.BEGUN, run.run_id)
        experiment.record(trial, TrialState.SCORED, run.run_id, score=_score(reached))
    experiment.write_control(ExperimentControl(desired="end"))
    experiment.close()
    return experiment


def _write_search(author: Author, name: str, hours_ago: float) -> OpenExperiment:
    """An ended search; every trial has a score."""
    space = {
        "learning_rate": {"kind": "float", "low": 1e-5, "high": 1e-2, "log": True},
        "gamma": {"kind": "choice", "choices": [0.95, 0.99]},
    }
    spec = ExperimentSpec.model_validate(
        {
            "base": {"algo": "ppo", "env_id": "CartPole-v1", "total_timesteps": STEPS},
            "sweep": {"space": space, "trials": SEARCHED},
        }
    )
    experiment = _created(author, name, hours_ago, spec)
    while proposal := experiment.proposer.propose(experiment.run_specs):
        experiment.add(proposal)
        for trial in experiment.trials_of_variant(proposal.variant):
            _train(author, experiment, trial, hours_ago - trial.number / 600)
        experiment.report_if_finished(proposal.variant)
    experiment.write_control(ExperimentControl(desired="end"))
    experiment.close()
    return experiment


def _created(author: Author, name: str, hours_ago: float, spec: ExperimentSpec) -> OpenExperiment:
    created = utc(author.now - hours_ago * HOUR)
    folder = ExperimentFolder(author.root, new_experiment_id(created))
    folder.create(StoredExperiment(id=folder.id, name=name, created_at=created, specification=spec))
    return OpenExperiment(folder, lambda: author.now - hours_ago * HOUR)


def _train(
    author: Author,
    experiment: OpenExperiment,
    trial: Trial,
    hours_ago: float,
    *,
    is_paused: bool = False,
    is_broken: bool = False,
) -> None:
    random = Random(trial.number)
    best = 500 - 8 * (trial.number // len(experiment.spec.seed_list)) - 20 * random.random()
    ending, data = EventKind.FINISHED, {}
    if is_paused:
        ending, data = EventKind.INTERRUPTED, {"cause": "Its experiment was stopped."}
    if is_broken:
        ending, data = EventKind.ERROR, {"type": "RuntimeError", "message": "it snapped", "traceback": "…"}
    run = author.run(
        "ppo",
        f"{trial.label}, {experiment.stored.name}",
        hours_ago=hours_ago,
        total=STEPS,
        steps=STEPS // 2 if is_paused or is_broken else STEPS,
        ending=ending,
        skill=Skill(18, best, 0.25 + 0.3 * random.random()),
        seed=trial.seed,
        data=data,
        experiment=ExperimentPlace(id=experiment.id, variant=trial.variant, trial=trial.number),
    )
    experiment.record(trial, TrialState.BEGUN, run.run_id)
    if is_broken:
        experiment.record(trial, TrialState.FAILED, run.run_id, cause="RuntimeError: it snapped")
    elif not is_paused:
        experiment.record(trial, TrialState.SCORED, run.run_id, score=_score(best + random.gauss(0, 15)))


def _score(mean: float) -> TrialScore:
    return TrialScore(round(mean, 1), PolicyChoice.LATEST)
