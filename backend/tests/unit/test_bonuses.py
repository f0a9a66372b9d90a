"""Exploration bonuses: coverage by cells, and novelty by random network distillation."""

from __future__ import annotations

import itertools
import pickle
import random
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from pydantic import ValidationError

from rlviz.domain.config import ExplorationPlan
from rlviz.domain.errors import InvalidRequest
from rlviz.domain.experiments import ExperimentSpec, ForkPoint, RunSpec, Variant, VariantChanges
from rlviz.learning.environments.custom import learned_rewards
from rlviz.learning.environments.reward_components import COMPONENTS
from rlviz.learning.exploration.bonuses import EXPLORED, Exploring
from rlviz.learning.exploration.coverage import FIRST_FRAME, FRAMES, Visits, coverage_bonus
from rlviz.learning.exploration.novelty import BATCH, Novelty, encoder_of
from rlviz.learning.training.builder import build_model
from rlviz.server.runs.configuration import NewRun, resolve_config
from tests.support.training import make_run

BOX = spaces.Box(-1, 1, (3,), np.float32)


def test_only_the_first_visit_in_an_episode_counts_and_counts_less_in_later_episodes() -> None:
    visits = Visits(4, environments=2)
    visits.begin_episode(0, 0)
    visits.begin_episode(1, 0)
    assert [visits.visit(0, cell) for cell in (0, 1, 1, None)] == [0, 1, 0, 0]
    assert visits.visit(1, 1) == 2
    visits.begin_episode(0, 0)
    assert [coverage_bonus(1.0, visits.visit(0, 1)), coverage_bonus(1.0, 0)] == [pytest.approx(3**-0.5), 0.0]
    assert (visits.steps.tolist(), visits.episodes.tolist(), visits.total) == ([4, 4, 0, 0], [3, 3, 0, 0], 2)


def test_a_cell_is_new_in_each_stage_and_the_map_shows_all_stages() -> None:
    visits, other = Visits(4, environments=1, stages=3), Visits(4, environments=1, stages=3)
    visits.begin_episode(0, 1)
    assert [visits.visit(0, 1), visits.visit(0, 1, stage=2), visits.visit(0, 1, stage=2)] == [0, 1, 0]
    assert (visits.steps.tolist(), visits.episodes.tolist(), visits.total) == ([0, 4, 0, 0], [0, 1, 0, 0], 1)
    assert visits.place_steps[[1, 9]].tolist() == [2, 2]
    assert visits.parts_of(visits.place_of(1, 2)) == (1, 2)
    other.restore(pickle.loads(pickle.dumps(visits.state())))
    assert other.visit(0, 1, stage=2) == 0
    other.begin_episode(0, 1, stage=2)
    assert (other.episodes[1], other.visit(0, 1, stage=1)) == (2, 1)


def test_counts_from_before_there_were_stages_are_those_of_the_first_stage() -> None:
    visits, staged = Visits(2, environments=1), Visits(2, environments=1, stages=2)
    visits.begin_episode(0, 1)
    state = visits.state()
    del state["places"]
    staged.restore(state)
    assert staged.place_steps.tolist() == [0, 1, 0, 0]
    assert [staged.visit(0, 1), staged.visit(0, 1, stage=1)] == [0, 1]


def test_episodes_from_the_archive_are_counted_separately() -> None:
    visits, other, earlier = Visits(4, environments=1), Visits(4, environments=1), Visits(4, environments=1)
    for _ in range(3):
        visits.begin_episode(0, 1, archived=True)
        visits.visit(0, 2, archived=True)
    visits.begin_episode(0, 0)
    assert (visits.visit(0, 1), visits.visit(0, 2)) == (1, 1)
    assert (visits.place_steps.tolist(), visits.episodes.tolist()) == ([1, 4, 4, 0], [1, 4, 4, 0])
    state = pickle.loads(pickle.dumps(visits.state()))
    other.restore(state)
    other.begin_episode(0, 1, archived=True)
    assert (other.visit(0, 2, archived=True), other.visit(0, 0, archived=True)) == (4, 1)
    del state["archived"]  # as in snapshots from before they were counted separately
    earlier.restore(state)
    earlier.begin_episode(0, 0, archived=True)
    assert earlier.visit(0, 2, archived=True) == 2, "both kinds had one count"


def test_earlier_maps_are_kept_at_growing_intervals() -> None:
    visits = Visits(2, environments=1)
    for step in range(0, 200 * FIRST_FRAME, 100):
        visits.keep_frame(step)
    steps = [step for step, _ in visits.frames]
    assert FRAMES / 2 <= len(steps) < FRAMES
    assert len({later - earlier for earlier, later in itertools.pairwise(steps)}) <= 2
    assert steps[-1] > 150 * FIRST_FRAME


def test_the_counts_continue_from_their_state() -> None:
    visits, other, larger = Visits(3, 2), Visits(3, 2), Visits(3, 4)
    visits.begin_episode(0, 2)
    for one in (other, larger):
        one.restore(pickle.loads(pickle.dumps(visits.state())))
        assert (one.total, one.steps.tolist()) == (1, [0, 0, 1])
    assert other.visit(0, 2) == 0
    assert larger.visit(0, 2) == 2, "with another number of environments, each begins an episode"


def _rewards(novelty: Novelty, rounds: int, low: float, high: float, seed: int = 0) -> float:
    """Return the mean reward of the last quarter of ``rounds`` of observations between ``low`` and ``high``."""
    generator = np.random.default_rng(seed)
    found = [novelty.rewards(generator.uniform(low, high, (4, 3)).astype(np.float32)).mean() for _ in range(rounds)]
    return float(np.mean(found[-rounds // 4 :]))


def test_frequent_observations_are_worth_less_than_new_ones() -> None:
    novelty = Novelty(BOX, 4, share=1e9, seed=1)
    first = _rewards(novelty, BATCH // 4, -0.1, 0.1)
    assert first == 0.0, "the first batch shows how to scale"
    early = _rewards(novelty, 8, -0.1, 0.1)
    familiar = _rewards(novelty, 40 * BATCH // 4, -0.1, 0.1)
    assert familiar < 0.5 * early
    assert _rewards(novelty, 4, 0.8, 1.0) > 5 * familiar


@pytest.mark.parametrize("episode_return", [0.0, -200.0])
def test_novelty_is_limited_to_a_share_of_the_return(episode_return: float) -> None:
    novelty, share, added = Novelty(BOX, 1, share=0.5, seed=1), 0.5, []
    generator = np.random.default_rng(0)
    for _ in range(60):
        rewards = [novelty.rewards(generator.uniform(-1, 1, (1, 3)).astype(np.float32))[0] for _ in range(60)]
        added.append(sum(rewards))
        novelty.end_episode(0, episode_return)
    assert max(added) <= share * max(1.0, abs(episode_return)) + 1e-9
    assert max(added[20:]) > 0


def test_novelty_keeps_its_share_when_all_is_familiar_and_prefers_what_is_rare() -> None:
    novelty, added, rare = Novelty(BOX, 1, share=0.5, seed=1), [], []
    generator = np.random.default_rng(0)
    for number in range(150):
        seen = generator.uniform(-0.2, 0.2, (60, 3)).astype(np.float32)
        if number % 10 == 0:
            seen[30:] += 0.8
        rewards = [novelty.rewards(row[None])[0] for row in seen]
        (rare if number % 10 == 0 else added).append(sum(rewards))
        novelty.end_episode(0, -200.0)
    familiar = np.mean(added[-45:])
    assert min(rare[-5:]) > 1.5 * familiar > 1.5
    assert 10 < 0.9 * familiar + 0.1 * np.mean(rare[-5:]) <= 50, "half of what may be added: 0.5 × 200"
    assert max(rare) <= 100 + 1e-9


def test_novelty_continues_from_its_state_and_does_not_use_the_generators() -> None:
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    before = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()  # type: ignore[index]
    one, other = Novelty(BOX, 4, 0.5, seed=1), Novelty(BOX, 4, 0.5, seed=2)
    _rewards(one, BATCH // 2 + 5, -1, 1)
    other.restore(pickle.loads(pickle.dumps(one.state())))
    _rewards(one, 2 * BATCH, -1, 1, seed=3)
    _rewards(other, 2 * BATCH, -1, 1, seed=3)
    assert pickle.dumps(one.state()["predictor"]) == pickle.dumps(other.state()["predictor"])
    assert one.rewards(np.ones((4, 3), np.float32)).tolist() == other.rewards(np.ones((4, 3), np.float32)).tolist()
    after = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()  # type: ignore[index]
    assert before == after


@pytest.mark.parametrize(
    ("space", "observations", "size"),
    [
        (BOX, np.zeros((2, 3), np.float32), 3),
        (spaces.Discrete(5, start=2), np.array([2, 6]), 5),
        (spaces.Discrete(10_000), np.array([0, 9_999]), 14),
        (spaces.MultiDiscrete([2, 3]), np.array([[0, 2], [1, 0]]), 5),
        (spaces.MultiBinary(4), np.zeros((2, 4), np.int8), 4),
        (spaces.Box(0, 255, (72, 80, 3), np.uint8), np.zeros((2, 72, 80, 3), np.uint8), 24 * 20),
        (spaces.Box(0, 255, (4, 84, 84), np.uint8), np.zeros((2, 4, 84, 84), np.uint8), 21 * 21),
    ],
)
def test_every_kind_of_observation_is_encoded(space: spaces.Space[Any], observations: Any, size: int) -> None:
    rows = encoder_of(space)(observations)
    assert (rows.shape, rows.dtype) == ((2, size), np.float32)
    assert Novelty(space, 2, 0.5, seed=1).rewards(observations).shape == (2,)


def test_bonuses_are_used_for_learning_but_are_not_part_of_the_return(tmp_path: Any) -> None:
    folder = make_run(tmp_path, env_id="FrozenLake-v1", exploration=ExplorationPlan(coverage=0.1, novelty=0.5))
    model = build_model(folder.read_config())
    environments = model.get_env()
    assert isinstance(environments, Exploring)
    environments.reset()
    learned = np.zeros(2)
    own = None
    while own is None:
        _, rewards, _, infos = environments.step(np.array([2, 1]))
        learned += rewards
        for index, info in enumerate(infos):
            assert set(info[COMPONENTS]) == {"coverage", "novelty"}
            if EXPLORED in info:
                own = info["episode"]["r"], learned[index], info[EXPLORED]["explored/cells"]
    environments.close()
    assert own[0] == 0
    assert own[1] >= 0.05 * (own[2] - 1)
    assert build_model(make_run(tmp_path, "plain").read_config()).get_env().__class__ is not Exploring


def test_a_run_without_exploration_is_written_as_before(tmp_path: Any) -> None:
    plain = make_run(tmp_path, "plain")
    assert "exploration" not in plain.config_path.read_text()
    assert plain.read_config().exploration is None
    assert resolve_config(NewRun("ppo", exploration=ExplorationPlan()), 0.0).exploration is None
    assert "exploration" not in RunSpec().model_dump_json()


def test_an_unworkable_plan_is_refused() -> None:
    for algo, plan, pointer in (
        ("ppo", ExplorationPlan(coverage=1.0), "/exploration/coverage"),
        ("ppo", ExplorationPlan(map=True), "/exploration/map"),
        ("random", ExplorationPlan(novelty=1.0), "/exploration"),
    ):
        with pytest.raises(InvalidRequest) as refused:
            resolve_config(NewRun(algo, exploration=plan), 0.0)
        assert [field.pointer for field in refused.value.fields] == [pointer]
    with pytest.raises(ValidationError):
        ExplorationPlan(coverage=0.0)


def test_a_variant_of_an_experiment_can_enable_and_disable_exploration() -> None:
    base = RunSpec(exploration=ExplorationPlan(novelty=0.5))
    without = Variant(name="without", changes=VariantChanges(exploration=ExplorationPlan())).run_spec(base)
    assert (without.exploration, Variant(name="as is").run_spec(base).exploration) == (
        ExplorationPlan(),
        base.exploration,
    )
    with pytest.raises(ValidationError, match="explores as its parent"):
        ExperimentSpec(base=base, fork=ForkPoint(run_id="r", snapshot="1", step=1), grid={"gamma": [0.9, 0.99]})


def test_values_that_include_bonuses_are_not_compared_with_the_return(tmp_path: Any) -> None:
    config = make_run(tmp_path, exploration=ExplorationPlan(novelty=0.5)).read_config()
    rewards = learned_rewards(config)
    assert not rewards.comparable
    assert "rewards for exploration" in (rewards.note or "")
