"""Whoever schedules trials may be killed between any two steps: nothing proposed is lost, and nothing comes twice."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.sweep import FloatRange, PrunerName, SamplerName, Sweep
from rlviz.search.proposer import FixedVariants, Proposal, Proposer, SearchProposer
from rlviz.search.study import Study, TrialState

SPACE: Any = {"x": FloatRange(low=-5, high=5)}
SWEEP = Sweep(space=SPACE, trials=6)
SEEDS = (1, 2, 3)


def opened(folder: Path, **changes: Any) -> tuple[Study, SearchProposer]:
    study = Study(folder, "test", Sweep.model_validate({"space": SPACE, "trials": 6, **changes}))
    return study, SearchProposer(study, SEEDS)


def fixed(folder: Path) -> Proposer:
    return FixedVariants([Proposal(f"v{place}", f"V {place}", {"x": place}, SEEDS) for place in range(6)])


def searched(folder: Path) -> Proposer:
    return opened(folder)[1]


@pytest.mark.parametrize("make", [fixed, searched])
@pytest.mark.parametrize("seed", range(4))
def test_every_variant_is_begun_once_wherever_the_scheduler_is_killed(tmp_path: Path, make: Any, seed: int) -> None:
    chance = random.Random(seed)
    begun: dict[str, str] = {}
    done: set[str] = set()
    for _ in range(200):  # each a life of the scheduler, ended by chance
        proposer = make(tmp_path)
        while chance.random() < 0.8:
            proposal = proposer.propose(begun)
            if chance.random() < 0.3:
                break  # killed after it was proposed, before it was written down
            if proposal is not None:
                assert proposal.variant not in begun
                assert tuple(proposal.seeds) == SEEDS
                begun[proposal.variant] = json.dumps(proposal.values)
            for variant in set(begun) - done:
                if chance.random() < 0.5:
                    proposer.finished(variant, [1.0, 2.0, 3.0])
                    if chance.random() < 0.7:  # otherwise killed before it was written down, and told again
                        done.add(variant)
    assert make(tmp_path).propose(begun) is None
    assert len(begun) == 6
    assert len(set(begun.values())) == 6


def test_the_objective_is_the_interquartile_mean_of_the_seeds(tmp_path: Path) -> None:
    study, proposer = opened(tmp_path)
    proposal = proposer.propose(())
    assert proposal is not None
    proposer.finished(proposal.variant, [1.0, 2.0, 3.0, 100.0])
    assert study.trials[0].objective == 2.5


def test_a_seed_without_a_score_fails_the_trial_and_the_search_goes_on(tmp_path: Path) -> None:
    study, proposer = opened(tmp_path)
    first = proposer.propose(())
    assert first is not None
    proposer.finished(first.variant, [1.0, None, float("nan")])
    (trial,) = study.trials
    assert (trial.state, trial.cause) == (TrialState.FAILED, "2 of 3 seeds have no score.")
    assert proposer.propose({first.variant}) is not None


def test_a_misfit_is_replaced(tmp_path: Path) -> None:
    study, proposer = opened(tmp_path, trials=1)
    first = proposer.propose(())
    assert first is not None
    proposer.failed(first.variant, "A batch of 512 does not fit.", misfit=True)
    second = proposer.propose({first.variant})
    assert second is not None
    proposer.finished(second.variant, [1.0, 1.0, 1.0])
    assert proposer.propose({first.variant, second.variant}) is None
    assert [trial.state for trial in study.trials] == [TrialState.FAILED, TrialState.COMPLETE]


def test_a_trial_is_judged_by_evaluations_that_all_its_seeds_have(tmp_path: Path) -> None:
    study, proposer = opened(tmp_path, trials=12, pruner=PrunerName.MEDIAN, sampler=SamplerName.RANDOM)
    begun: set[str] = set()
    for place in range(6):
        proposal = proposer.propose(begun)
        assert proposal is not None
        begun.add(proposal.variant)
        for seed in SEEDS:
            assert not proposer.evaluated(proposal.variant, seed, [10.0 + place] * 6)
        proposer.finished(proposal.variant, [10.0] * 3)
    bad = proposer.propose(begun)
    assert bad is not None
    assert not proposer.evaluated(bad.variant, 1, [0.0] * 6)
    assert not proposer.evaluated(bad.variant, 2, [0.0] * 6)
    assert not proposer.evaluated(bad.variant, 3, [0.0])  # the pruner hears of the first alone, and waits
    assert proposer.evaluated(bad.variant, 3, [0.0] * 6)
    assert proposer.evaluated(bad.variant, 1, [0.0] * 6)  # given up remains given up
    assert SearchProposer(Study(tmp_path, "test", SWEEP), SEEDS).evaluated(bad.variant, 2, [0.0] * 9)
    proposer.finished(bad.variant, [None, None, None])
    assert study.trials[-1].state is TrialState.PRUNED


def test_who_goes_on_tells_the_same_evaluations_again_without_harm(tmp_path: Path) -> None:
    _, proposer = opened(tmp_path, pruner=PrunerName.MEDIAN)
    proposal = proposer.propose(())
    assert proposal is not None
    for seed in SEEDS:
        proposer.evaluated(proposal.variant, seed, [1.0, 2.0])
    study, again = opened(tmp_path, pruner=PrunerName.MEDIAN)
    for seed in SEEDS:
        assert not again.evaluated(proposal.variant, seed, [1.0, 2.0, 3.0])
    again.finished(proposal.variant, [3.0, 3.0, 3.0])
    assert study.trials[0].objective == 3.0
