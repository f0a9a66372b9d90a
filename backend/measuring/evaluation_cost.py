"""Measures what evaluations during training cost, as a share of the processor time of training.

    python -m measuring.evaluation_cost [ENVIRONMENT …]                     play where the cost is not known yet
    python -m measuring.evaluation_cost --whole CartPole-v1 ppo [PRESET …]  train these presets to their end

A preset evaluates its greedy policy during training, and keeps the best one, if that costs at most five percent of
training. ``evaluation_costs.json`` has two figures for this:

- ``plays``: processor seconds per step of ``EPISODES`` episodes played side by side, by environment and algorithm. It
  gives an upper bound of the cost: every evaluation is as long as the environment allows, and every second policy is
  played again because it beats the best one. The training time is the measured one, or follows from ``rates.json``.
- ``trained``: the share of evaluations in a whole training, by preset. It is measured if the bound is above five
  percent and training is short, as on CartPole, where early episodes are much shorter than late ones.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import tempfile
import time
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from measuring.rates import known_rates
from rlviz.domain.config import EvaluationPlan
from rlviz.domain.presets import Preset, PresetId
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.presets.catalog import measured, preset_files
from rlviz.rundir.files import write_atomically

if TYPE_CHECKING:
    from rlviz.domain.config import RunConfig

COSTS = Path(__file__).with_name("evaluation_costs.json")

MOST_SHARE = 0.05
"""Largest share of the processor time of training for evaluations by default."""

EPISODES = 10
PLANS = ((10, 10), (10, 5), (5, 10), (5, 5))
"""Numbers of evaluations and of episodes in each: the first pair that costs no more than the share is the default."""

PLAYED_AGAIN = 0.5
"""Share of the evaluations whose policy is played again."""

BUSY = 1.3
"""How much slower the processor was when ``plays`` were measured than when presets were: a training of CartPole with
PPO Fast took 36.8 s, and 28.3 s by its figures."""

PLAY_SECONDS = 1.5


@cache
def known_costs() -> Mapping[str, Mapping[str, float]]:
    """Read ``plays`` and ``trained``, with keys of ``place_of`` and ``name_of``."""
    found: Mapping[str, Mapping[str, float]] = json.loads(COSTS.read_text()) if COSTS.exists() else {}
    return found


def place_of(env_id: str, preset: Preset) -> str:
    """Return environment, options and algorithm of a preset, such as ``LunarLander-v3, continuous true, sac``."""
    options = "".join(f", {name} {json.dumps(value)}" for name, value in preset.when.items())
    return f"{env_id}{options}, {preset.algorithm}"


def name_of(env_id: str, preset: Preset) -> str:
    return f"{place_of(env_id, preset)}, {preset.id}"


def bound(env_id: str, preset: Preset, plan: EvaluationPlan) -> float | None:
    """Return the largest share of training that evaluations by ``plan`` can take; None if unknown."""
    play = known_costs().get("plays", {}).get(place_of(env_id, preset))
    longest = ENVIRONMENTS.get(env_id).resolve(preset.when).max_episode_steps
    seconds = training_seconds(env_id, preset)
    if play is None or longest is None or seconds is None or plan.every_steps is None:
        return None
    evaluations = -(-preset.total_timesteps // plan.every_steps)
    return evaluations * (1 + PLAYED_AGAIN) * longest * play / BUSY * plan.episodes / EPISODES / seconds


def default_plan(env_id: str, preset: Preset) -> EvaluationPlan | None:
    """Return the default evaluations of a preset; None if they cost too much."""
    for evaluations, episodes in PLANS:
        plan = EvaluationPlan(every_steps=preset.total_timesteps // evaluations, episodes=episodes)
        share = bound(env_id, preset, plan)
        if share is not None and share <= MOST_SHARE:
            return plan
    return None


def training_seconds(env_id: str, preset: Preset) -> float | None:
    """Return the processor seconds of a whole training without evaluations; None if no rate was measured."""
    figures = measured(preset.model_copy(update={"evaluation": None}), env_id)
    if figures is not None:
        return figures.seconds
    rate = known_rates().get(env_id, {}).get(preset.algorithm)
    return None if rate is None else preset.total_timesteps / rate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("only", nargs="*", help="ids of environments; with --whole also of an algorithm and presets")
    parser.add_argument("--whole", action="store_true", help="train to the end, with the evaluations of the preset")
    options = parser.parse_args()
    import rlviz.learning.training.watched  # noqa: F401  (imported once, before processes are forked)

    context = multiprocessing.get_context("fork")
    for env_id, preset in _presets(options.only, options.whole):
        with context.Pool(1) as apart:  # a process for each, as for runs
            kind, key = ("trained", name_of(env_id, preset)) if options.whole else ("plays", place_of(env_id, preset))
            found = apart.apply(_trained if options.whole else _play_seconds, (env_id, preset.model_dump(mode="json")))
        print(f"{key}: {found:.3g}", flush=True)
        costs = json.loads(COSTS.read_text()) if COSTS.exists() else {"plays": {}, "trained": {}}
        costs[kind][key] = float(f"{found:.3g}")
        write_atomically(COSTS, json.dumps(costs, indent=1, sort_keys=True).encode() + b"\n")


def _presets(only: list[str], whole: bool) -> Iterator[tuple[str, Preset]]:
    known = known_costs().get("plays", {})
    for file in preset_files():
        for preset in file.preset:
            if file.environment is None or (only and file.environment not in only):
                continue
            if whole:
                if preset.algorithm in only and (len(only) < 3 or preset.id in only[2:]):
                    yield file.environment, preset
            elif preset.id is PresetId.FAST and place_of(file.environment, preset) not in known:
                yield file.environment, preset


def _config(env_id: str, preset: Preset, seed: int = 0) -> RunConfig:
    from rlviz.server.runs.configuration import NewRun, resolve_config

    small: dict[str, JsonValue] = {"buffer_size": 20_000} if "buffer_size" in preset.hyperparameters else {}
    new = NewRun(
        preset.algorithm,
        env_id,
        preset=preset.id.value,
        seed=seed,
        env_options=preset.when,
        hyperparameters={} if seed else small,
        anatomy=False,
    )
    return resolve_config(new, time.time())


def _play_seconds(env_id: str, values: dict[str, Any]) -> float:
    """Return the processor seconds per step of ``EPISODES`` episodes, played by an untrained policy."""
    import torch

    from rlviz.learning.algorithms import ALGORITHMS
    from rlviz.learning.algorithms.policy import make_playable
    from rlviz.learning.environments.make import make_environment
    from rlviz.learning.training.builder import build_model, closing_environments
    from rlviz.learning.training.callback import EpisodePlayer

    torch.set_num_threads(1)
    config = _config(env_id, Preset.model_validate(values))
    with closing_environments(build_model(config)) as model:
        player = EpisodePlayer(lambda: make_environment(config, whole_episodes=True))
        policy = make_playable(ALGORITHMS.get(config.algo), model)
        player.play(policy, range(EPISODES), lambda: True)  # makes the environments
        steps, began = 0, time.process_time()

        def long_enough() -> bool:
            nonlocal steps
            steps += 1
            return time.process_time() - began > PLAY_SECONDS

        first = 0
        while time.process_time() - began < PLAY_SECONDS:
            player.play(policy, range(first, first + EPISODES), long_enough)
            first += EPISODES
        spent = time.process_time() - began
        player.close()
    # Steps are counted per episode: when some episodes have ended, a step costs more for each remaining one.
    return spent / (steps / EPISODES)


def _trained(env_id: str, values: dict[str, Any]) -> float:
    """Return the share of evaluations in a whole training."""
    import torch

    from rlviz.domain.config import CheckpointPlan, SnapshotPlan
    from rlviz.learning.training.callback import PeriodicEvaluation
    from rlviz.learning.training.watched import train_run
    from rlviz.rundir.folder import RunFolder

    torch.set_num_threads(1)
    preset = Preset.model_validate(values)
    assert preset.evaluation is not None, "It makes no evaluations."
    evaluate, evaluating = PeriodicEvaluation.evaluate, 0.0

    def timed(self: PeriodicEvaluation, model: Any) -> float:
        nonlocal evaluating
        began = time.thread_time()
        seconds = evaluate(self, model)
        evaluating += time.thread_time() - began
        return seconds

    PeriodicEvaluation.evaluate = timed  # type: ignore[method-assign]
    began = time.process_time()
    with tempfile.TemporaryDirectory() as root:
        folder = RunFolder(Path(root), "cost")
        changes = {
            "run_id": folder.run_id,
            "checkpoints": CheckpointPlan(film=0),
            "snapshots": SnapshotPlan(every_seconds=None),
        }
        folder.create(_config(env_id, preset, seed=1).model_copy(update=changes))
        train_run(folder)
    return evaluating / (time.process_time() - began - evaluating)


if __name__ == "__main__":
    main()
