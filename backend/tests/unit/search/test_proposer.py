"""Proposals of a search after crashes of the scheduler, and pruning."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from math import nan
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.experiments import FloatRange, PrunerName, SamplerName, Sweep
from rlviz.learning.search.proposer import Proposer, SearchProposer, SeedReturns
from rlviz.learning.search.study import Study, TrialState

SPACE: Any = {"x": FloatRange(low=-5, high=5)}
SEEDS = (1, 2, 3)


def opened(folder: Path, **changes: Any) -> tuple[Study, SearchProposer]:
    study = Study(folder, "test", Sweep.model_validate({"space": SPACE, "trials": 6, **changes}))
    return study, SearchProposer(study, SEEDS)


def searched(folder: Path) -> Proposer:
    return opened(folder)[1]


@pytest.mark.parametrize("seed", range(4))
def test_every_variant_starts_once_wherever_the_scheduler_is_killed(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    begun: dict[str, str] = {}
    done: set[str] = set()
    afterwards = 10
    for _ in range(200):  # each a life of the scheduler, ended by chance
        afterwards -= len(done) == 6
        if afterwards < 0:  # some more in which nothing is left to be proposed
            break
        proposer = searched(tmp_path)
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
    assert searched(tmp_path).propose(begun) is None
    assert len(begun) == 6
    assert len(set(begun.values())) == 6


def test_the_objective_is_the_interquartile_mean_of_the_seeds(tmp_path: Path) -> None:
    study, proposer = opened(tmp_path)
    proposal = proposer.propose(())
    assert proposal is not None
    proposer.finished(proposal.variant, [1.0, 2.0, 3.0, 100.0])
    assert study.trials[0].objective == 2.5


def test_a_seed_without_a_score_fails_the_trial_and_the_search_continues(tmp_path: Path) -> None:
    study, proposer = opened(tmp_path)
    first = proposer.propose(())
    assert first is not None
    proposer.finished(first.variant, [1.0, None, float("nan")])
    (trial,) = study.trials
    assert (trial.state, trial.cause) == (TrialState.FAILED, "2 of 3 seeds have no score.")
    assert proposer.propose({first.variant}) is not None


def test_an_unsuitable_trial_is_replaced(tmp_path: Path) -> None:
    study, proposer = opened(tmp_path, trials=1)
    first = proposer.propose(())
    assert first is not None
    proposer.failed(first.variant, "A batch of 512 does not fit.", misfit=True)
    second = proposer.propose({first.variant})
    assert second is not None
    proposer.finished(second.variant, [1.0, 1.0, 1.0])
    assert proposer.propose({first.variant, second.variant}) is None
    assert [trial.state for trial in study.trials] == [TrialState.FAILED, TrialState.COMPLETE]


def test_has_more_answers_without_proposing_a_trial(tmp_path: Path) -> None:
    study, proposer = opened(tmp_path, trials=1)
    assert proposer.has_more(())
    assert study.trials == []
    assert proposer.propose(()) is not None
    assert proposer.has_more(()), "it was never begun"
    assert not proposer.has_more({"trial-0"})


def told(*returns: Sequence[float], trained: Sequence[Sequence[float]] = ()) -> list[SeedReturns]:
    """Return the seeds of a trial: ``returns`` of training seeds, ``trained`` ones that have ended."""
    return [*(SeedReturns(one, True) for one in returns), *(SeedReturns(one, False) for one in trained)]


@pytest.fixture
def judged(tmp_path: Path) -> tuple[Path, str]:
    """The folder of a search with six evaluations of five trials with returns of about 10, and a sixth trial."""
    _, proposer = opened(tmp_path, trials=12, pruner=PrunerName.MEDIAN, sampler=SamplerName.RANDOM)
    begun: set[str] = set()
    for place in range(5):
        proposal = proposer.propose(begun)
        assert proposal is not None
        begun.add(proposal.variant)
        assert not proposer.evaluated(proposal.variant, told(*[[10.0 + place] * 6] * 3))
        proposer.finished(proposal.variant, [10.0] * 3)
    sixth = proposer.propose(begun)
    assert sixth is not None
    return tmp_path, sixth.variant


def again(folder: Path) -> SearchProposer:
    """Reopen the search as the next service does."""
    return opened(folder, trials=12, pruner=PrunerName.MEDIAN)[1]


def test_a_trial_is_pruned_by_evaluations_that_all_training_seeds_have(judged: tuple[Path, str]) -> None:
    folder, variant = judged
    proposer = again(folder)
    assert not proposer.evaluated(variant, told([0.0] * 6, [0.0] * 6, []))
    assert not proposer.evaluated(variant, told([0.0] * 6, [0.0] * 6, [0.0]))  # too early to say
    assert proposer.evaluated(variant, told(*[[0.0] * 6] * 3))
    assert proposer.evaluated(variant, told([20.0])), "given up remains given up"
    assert again(folder).evaluated(variant, told([0.0] * 6))
    again(folder).finished(variant, [None, None, None])
    assert opened(folder)[0].trials[-1].state is TrialState.PRUNED


def test_seeds_trained_one_after_another_are_pruned_by_the_existing_evaluations(judged: tuple[Path, str]) -> None:
    folder, variant = judged
    good, bad = [12.0] * 6, [-50.0] * 6
    assert not again(folder).evaluated(variant, told(good[:4]))
    proposer = again(folder)  # a service that begins meanwhile knows of the seed that is trained
    assert not proposer.evaluated(variant, told([], trained=[good]))
    assert not proposer.evaluated(variant, told(bad[:1], trained=[good]))
    assert proposer.evaluated(variant, told(bad[:3], trained=[good]))


def test_earlier_evaluations_are_not_judged_again(judged: tuple[Path, str]) -> None:
    """Another trial that has improved since then matters only at the next evaluation."""
    folder, variant = judged
    proposer = again(folder)
    assert not proposer.evaluated(variant, told([12.0] * 3))
    better = {f"trial-{number}" for number in range(6)}
    for _ in range(5):
        proposal = proposer.propose(better)
        assert proposal is not None
        better.add(proposal.variant)
        proposer.evaluated(proposal.variant, told([30.0] * 6))
        proposer.finished(proposal.variant, [30.0] * 3)
    assert not again(folder).evaluated(variant, told([12.0] * 3))
    assert again(folder).evaluated(variant, told([12.0] * 4))


def test_a_seed_that_ended_early_delays_no_other(judged: tuple[Path, str]) -> None:
    folder, variant = judged
    assert not again(folder).evaluated(variant, told([0.0], trained=[[0.0]]))
    assert again(folder).evaluated(variant, told([0.0] * 2, trained=[[0.0]]))


def test_evaluations_before_a_seed_has_learned_are_not_used_for_pruning(judged: tuple[Path, str]) -> None:
    folder, variant = judged
    proposer = again(folder)
    assert not proposer.evaluated(variant, told([nan] * 6, [0.0] * 6, [0.0] * 6))
    assert not proposer.evaluated(variant, told(*[[nan] * 6] * 3))
    assert proposer.evaluated(variant, told(*[[nan] * 3 + [0.0] * 3] * 3))
