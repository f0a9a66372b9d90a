"""Recorded updates equal the model's own numbers, and recording does not change training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from rlviz.domain.anatomy import UpdateAnatomy
from rlviz.domain.registry import load
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.experience import Rollout, compute_q_network_errors
from rlviz.learning.training.anatomy import BINS, AnatomyJournal, histogram
from rlviz.learning.training.anatomy import _layers as looked_into
from rlviz.learning.training.builder import build_model
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.server.metrics.service import read_anatomy
from tests.support.training import curves, make_run, messages


def anatomy(folder: RunFolder) -> list[UpdateAnatomy]:
    return read_anatomy(folder, 100)


def look_into_training(tmp_path: Path, algo: str) -> None:
    looked_into = make_run(tmp_path, "looked-into", algo=algo, anatomy=True)
    alone = make_run(tmp_path, "alone", algo=algo)
    assert train_run(looked_into)
    assert train_run(alone)
    assert curves(looked_into) == curves(alone)
    model_class = load(ALGORITHMS.get(algo).model_class)
    weights, others = (model_class.load(run.model_path).policy.state_dict() for run in (looked_into, alone))
    assert all(torch.equal(weights[name], others[name]) for name in weights)
    assert anatomy(looked_into)
    assert not anatomy(alone)


def test_reading_the_anatomy_does_not_change_training(tmp_path: Path) -> None:
    look_into_training(tmp_path, "ppo")


@pytest.mark.parametrize("env_id", ["CartPole-v1", "Pendulum-v1", "Taxi-v4"])
def test_ratios_equal_those_of_the_update(tmp_path: Path, env_id: str) -> None:
    """Before the update the policy is the one that acted, so every ratio is one. Taxi has discrete observations."""
    model: Any = build_model(make_run(tmp_path, env_id=env_id).read_config())
    rollout = _rollout_of(model)
    np.testing.assert_allclose(rollout.ratios(model), 1.0, atol=1e-5)
    with torch.no_grad():
        model.policy.action_net.weight[0].add_(1.0)
    assert np.ptp(rollout.ratios(model)) > 0.01


def _rollout_of(model: Any) -> Rollout:
    _, callback = model._setup_learn(128)
    model.collect_rollouts(model.env, callback, model.rollout_buffer, n_rollout_steps=model.n_steps)
    rollout = Rollout.from_model(model)
    assert rollout is not None
    return rollout


def test_td_errors_equal_those_in_the_loss(tmp_path: Path) -> None:
    model: Any = build_model(make_run(tmp_path, algo="dqn").read_config())
    model.learn(300)
    errors = compute_q_network_errors(model)
    batch = model.replay_buffer.sample(512)
    with torch.no_grad():
        target = (
            batch.rewards
            + (1 - batch.dones)
            * model.gamma
            * model.q_net_target(batch.next_observations).max(dim=1, keepdim=True).values
        )
        estimate = torch.gather(model.q_net(batch.observations), 1, batch.actions.long())
    np.testing.assert_allclose(errors, (target - estimate).flatten().numpy(), rtol=1e-5)


def test_recording_updates_costs_at_most_half_a_percent_and_becomes_rarer_over_time(tmp_path: Path) -> None:
    now = [0.0]
    folder = make_run(tmp_path, anatomy=True)
    model: Any = build_model(folder.read_config())
    journal = AnatomyJournal(folder, None, monotonic=lambda: now[0])

    def look(cost: float) -> float:
        """Record an update that takes ``cost`` seconds, and return the seconds until the next one is due."""
        journal.before_update(model)
        journal._spent += cost
        journal.after_update(model)
        done = now[0]
        while not journal.is_due:
            now[0] += 0.5
            journal.check_clock()
        return now[0] - done

    _rollout_of(model)
    assert look(0.0) == 1.0
    assert look(0.05) == pytest.approx(10.0, abs=0.5)
    now[0] = 1_000.0
    assert look(0.0) == pytest.approx(20.0, abs=0.5)
    journal.close()


@pytest.mark.parametrize(
    ("numbers", "counts"),
    [
        (np.array([0, 1, 1, 3]), [1, 2, 0, 1]),
        (np.array([2.5, 2.5]), [2]),
        (np.array([np.nan, 1.0, np.inf]), [1]),
    ],
    ids=["whole numbers get a bin each", "all the same", "what is not finite is left out"],
)
def test_histogram(numbers: Any, counts: list[int]) -> None:
    found = histogram(numbers)
    assert found is not None
    assert found.counts == counts
    assert found.low < found.high


def test_a_histogram_of_nothing_is_empty() -> None:
    assert histogram(np.array([np.nan])) is None
    assert histogram(np.array([])) is None


def test_a_histogram_counts_every_number() -> None:
    numbers = np.random.default_rng(0).normal(size=1_000)
    found = histogram(numbers)
    assert found is not None
    assert len(found.counts) == BINS
    assert sum(found.counts) == 1_000
    assert found.mean == pytest.approx(numbers.mean())


def test_an_unwritable_file_costs_a_warning_and_not_the_run(tmp_path: Path) -> None:
    folder = make_run(tmp_path, anatomy=True)
    folder.anatomy_path.mkdir()
    assert train_run(folder)
    assert any("anatomy" in message for message in messages(folder))


def test_invalid_lines_are_left_out(tmp_path: Path) -> None:
    folder = make_run(tmp_path, anatomy=True)
    assert train_run(folder)
    whole = len(anatomy(folder))
    with folder.anatomy_path.open("ab") as file:
        file.write(b'{"seq": 99, "time": 1}\nnonsense\n{"seq": 100, "ti')
    assert len(anatomy(folder)) == whole


def test_a_few_of_many_updates_are_the_first_the_newest_and_some_between(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    lines = [f'{{"seq":{n},"time":1.0,"step":{n}}}\n' for n in range(1, 102)]
    folder.anatomy_path.write_text("".join(lines))
    assert [update.step for update in read_anatomy(folder, 5)] == [1, 26, 51, 76, 101]


def test_the_record_says_how_much_of_a_large_network_and_a_long_action_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rlviz.learning.training.anatomy.MAX_LAYERS", 2)
    monkeypatch.setattr("rlviz.learning.training.anatomy.MAX_COMPONENTS", 0)
    folder = make_run(tmp_path, algo="ppo", anatomy=True)
    assert train_run(folder)
    update = anatomy(folder)[0]
    assert (len(update.layers), update.actions, update.components) == (2, [], 1)
    assert (update.layer_count or 0) > 2


def test_layers_with_non_finite_weights_are_named_and_do_not_count_as_left_out(tmp_path: Path) -> None:
    """An update makes one layer NaN, and then all."""
    folder = make_run(tmp_path, algo="ppo")
    model = build_model(folder.read_config())
    layers: dict[str, Any] = {
        name: layer for name, layer in model.policy.named_parameters() if layer.ndim > 1 and "target" not in name
    }
    broken = next(iter(layers))
    layers[broken].data.fill_(float("nan"))
    found, not_finite, count = looked_into(model)
    assert (not_finite, len(found), count) == ([broken], len(layers) - 1, len(layers))
    for layer in layers.values():
        layer.data.fill_(float("nan"))
    found, not_finite, count = looked_into(model)
    assert (not_finite, found, count) == (list(layers), [], len(layers))


def test_actions_of_a_tabular_run_are_the_newest_ones_taken(tmp_path: Path) -> None:
    folder = make_run(tmp_path, algo="q-learning", env_id="FrozenLake-v1", anatomy=True)
    assert train_run(folder)
    (actions,) = anatomy(folder)[-1].actions
    assert sum(actions.counts) == 512
    assert -0.5 <= actions.low < actions.high <= 3.5
