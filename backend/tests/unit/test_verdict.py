"""Verdicts on single runs: wording, reasons, and distinct labels."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from rlviz.domain.config import EvaluationPlan
from rlviz.stats.comparison import RunMetrics
from rlviz.stats.criterion import BY_TRAINING, Criterion, Source, common_criterion
from rlviz.stats.groups import BestReturn, ComparisonEntry, FigureComparison, Named, compare_figures, distinct_labels
from rlviz.stats.verdict import Verdict, verdict
from tests.support.cases import cases


def entry(label: str, final: float | None, error: float = 2.0, **changes: object) -> ComparisonEntry:
    """Return a run that ended at ``final``, with ``steps`` to the threshold, ``seconds`` and other figures."""
    steps, seconds = changes.pop("steps", None), changes.pop("seconds", None)
    spread, best = changes.pop("stability", 5.0), changes.pop("best", final)
    metrics = RunMetrics(
        episodes=200,
        best_moving_average=best,  # type: ignore[arg-type]
        best_moving_average_step=None if best is None else 9_000,
        final_moving_average=final,
        steps_to_threshold=steps,  # type: ignore[arg-type]
        seconds_to_threshold=seconds,  # type: ignore[arg-type]
        stability=spread,  # type: ignore[arg-type]
        best_error=error,
        final_error=error,
    )
    run = ComparisonEntry(label.lower(), label, "CartPole-v1", step=50_000, ended=True, metrics=metrics)
    return replace(run, **changes)  # type: ignore[arg-type]


def judge(
    *runs: ComparisonEntry,
    threshold: float | None = 475,
    criterion: Criterion | None = BY_TRAINING,
    differences: tuple[str, ...] = ("/seed",),
    shared: int = 0,
) -> Verdict:
    """Return the verdict on runs that differ only in their seeds, unless ``differences`` says otherwise."""
    found = verdict(runs, window=20, threshold=threshold, criterion=criterion, differences=differences, shared=shared)
    assert found is not None
    return found


A, B = entry("A", 480), entry("B", 200)

TRAINED = "a mean return of 475.0 over 100 episodes of training"


@cases(
    ("name", "first", "second", "headline"),
    [
        ("ends clearly higher", A, B, "A did better."),
        ("higher, and alone at the threshold", entry("A", 480, steps=20_000), B, "A did better."),
        ("higher, but later", entry("A", 480, steps=40_000), entry("B", 200, steps=10_000),
         f"A ends higher; B was first to {TRAINED}."),
        ("level, one sooner", entry("A", 480, steps=40_000), entry("B", 478, steps=10_000),
         f"Level at the end; B was first to {TRAINED}."),
        ("level, one has not trained for as long as the other took", entry("A", 480, steps=40_000),
         entry("B", 478, step=10_000), "No clear difference."),
        ("level, one has trained for longer in vain", entry("A", 480, steps=40_000), entry("B", 478, step=90_000),
         f"Level at the end; A was first to {TRAINED}."),
        ("level, both as soon", entry("A", 480, steps=40_000), entry("B", 478, steps=39_000),
         "No clear difference."),
        ("within the spread", entry("A", 480, 20), entry("B", 440, 20), "No clear difference."),
        ("the same without any spread", entry("A", 9, 0), entry("B", 9, 0), "No clear difference."),
        ("negative returns", entry("A", -80), entry("B", -400), "A did better."),
        ("too few episodes", A, entry("B", 20, best=None), "It is too early to tell."),
        ("another environment", A, entry("B", -80, environment="Acrobot-v1"), "These runs cannot be ranked."),
    ],
)  # fmt: skip
def test_the_verdict_does_not_depend_on_the_order(
    name: str, first: ComparisonEntry, second: ComparisonEntry, headline: str
) -> None:
    assert judge(first, second).headline == headline
    assert judge(second, first).headline == headline


def test_settings_with_one_seed_each_have_no_verdict_and_their_difference_is_a_reason() -> None:
    said = judge(A, B, differences=("/algo",))
    assert said.headline == "Not enough seeds to compare: one seed each."
    assert said.why == [
        "A ends at 480.0, B at 200.0: the difference exceeds the spread of their last 20 episodes.",
        f"None reached {TRAINED}.",
    ]
    assert said.seed_caution == "One seed each: other seeds may give a different result."


def test_the_reasons_contain_the_figures() -> None:
    assert judge(entry("A", 480, steps=21_000), B).why == [
        "A ends at 480.0, B at 200.0: the difference exceeds the spread of their last 20 episodes.",
        "A mean return of 475.0 over 100 episodes of training was reached by A after 21k steps; B did not in 50k.",
    ]
    assert judge(A, B).why[1] == f"None reached {TRAINED}."
    assert len(judge(A, B, threshold=None).why) == 1


def test_the_best_of_many_runs_is_compared_with_the_second() -> None:
    runs = [entry("A", 100), entry("B", 480), entry("C", 300)]
    assert judge(*runs).headline == "B did best of 3."
    runs.append(entry("D", 479))
    assert judge(*runs).headline == "No clear difference."
    runs += [entry("E", 470, steps=9_000), entry("F", 460, steps=30_000)]
    assert judge(*runs).why[1] == f"2 of 6 reached {TRAINED}, E first, after 9k steps."


def test_a_sentence_about_a_hundred_runs_does_not_name_them_all() -> None:
    runs = [entry(f"Run number {n}", 100 + n, ended=False) for n in range(100)]
    said = judge(*runs)
    assert all(len(text) < 200 for text in [said.headline, *said.why, *said.cautions])


def test_steps_before_a_fork_make_neither_run_faster() -> None:
    parent, child = entry("Parent", 480, steps=10_000), entry("Child", 478, steps=21_000)
    said = judge(parent, child, shared=20_000)
    assert (said.headline, said.why[1]) == (
        "No clear difference.",
        "A mean return of 475.0 over 100 episodes of training was reached at step 10k, before the fork.",
    )
    assert said.cautions[0] == "Up to step 20k they were one run: only later steps differ."
    assert "Parent was first to" in judge(parent, child).headline
    assert "Parent was first to" in judge(parent, child, shared=5_000).headline
    given = {"window": 20, "threshold": 475, "criterion": BY_TRAINING}
    told = {one.id: one for one in compare_figures([parent, child], **given, shared=20_000)}  # type: ignore[arg-type]
    assert (told["steps_to_threshold"].best, told["seconds_to_threshold"].best) == (None, None)
    assert told["steps_to_threshold"].reason == "It was reached at step 10k, before the fork at step 20k."
    assert compare_figures([parent, child], **given, shared=5_000)[3].best == "parent"  # type: ignore[arg-type]


def test_training_seeds_change_no_verdict_after_one_has_ended() -> None:
    ended = [
        entry(f"{group}{seed}", final + seed, group=group, group_label=group.upper())
        for group, final in (("ppo", 480.0), ("dqn", 100.0))
        for seed in range(5)
    ]
    begun = [
        replace(entry(f"{group}-new", final, group=group, group_label=group.upper()), ended=False)
        for group, final in (("ppo", None), ("dqn", 500.0))
    ]
    alone, beside = (judge(*runs, differences=("/algo", "/seed")) for runs in (ended, [*ended, *begun]))
    assert (beside.headline, beside.why) == (alone.headline, alone.why)
    assert beside.headline.startswith("PPO")
    assert any("have not ended yet" in caution for caution in beside.cautions)


def test_a_single_run_has_no_verdict() -> None:
    assert verdict([A], window=20, threshold=None, criterion=None, differences=()) is None


EVERY_5K = Criterion(Source.EVALUATION, 5_000)
GREEDY = "a mean return of 475.0 in greedy evaluations (one every 5k steps)"


@pytest.mark.parametrize(
    ("criterion", "later", "headline"),
    [
        (EVERY_5K, 20_000, f"Level at the end; A was first to {GREEDY}."),
        (EVERY_5K, 16_000, "No clear difference."),  # B may have got there at step 11,000 already
        (BY_TRAINING, 16_000, f"Level at the end; A was first to {TRAINED}."),
        (None, 20_000, "No clear difference."),
    ],
)  # fmt: skip
def test_the_first_to_solve_is_named_with_the_criterion_and_its_precision(
    criterion: Criterion | None, later: int, headline: str
) -> None:
    said = judge(entry("A", 480, steps=10_000), entry("B", 478, steps=later), criterion=criterion)
    assert said.headline == headline
    if criterion is None:
        assert said.why[1].startswith("No criterion applies equally to all runs")


def plan(every_steps: int | None = 5_000, episodes: int = 10) -> EvaluationPlan:
    return EvaluationPlan(every_steps=every_steps, episodes=episodes)


@cases(
    ("plans", "episodes", "criterion"),
    [
        ([plan(), plan()], [100, 100], EVERY_5K),
        ([plan(), plan(None)], [100, 100], BY_TRAINING),  # else one is shown to get there by what the other never plays
        ([plan(), plan(25_000)], [100, 100], BY_TRAINING),
        ([plan(), plan(episodes=50)], [100, 100], BY_TRAINING),
        ([plan(), None], [100, 100], BY_TRAINING),
        ([plan(None), plan(None)], [100, 100], BY_TRAINING),
        ([plan(), plan(None)], [100, 0], None),
        ([], [], None),
    ],
)
def test_a_criterion_applies_to_all_runs_or_none(
    plans: list[EvaluationPlan | None], episodes: list[int], criterion: Criterion | None
) -> None:
    assert common_criterion(plans, episodes) == criterion


@pytest.mark.parametrize(
    ("runs", "differences", "caution"),
    [
        ((A, replace(B, ended=False)), (), "B has not ended yet."),
        ((A, replace(B, step=90_000)), (), "They trained for different numbers of steps."),
        ((A, B), ("/seed",), "Only their seeds differ: the difference shows the effect of chance."),
        ((A, B), ("/seed", "/versions/torch"), "Only their seeds differ: the difference shows the effect of chance."),
        ((A, B), ("/algo",), "One seed each: other seeds may give a different result."),
        ((A, B), ("/env_options/is_slippery",), "The options of their environments differ."),
    ],
)  # fmt: skip
def test_limits_of_the_figures_are_stated_as_cautions(
    runs: tuple[ComparisonEntry, ...], differences: tuple[str, ...], caution: str
) -> None:
    assert caution in judge(*runs, differences=differences).cautions
    steady = judge(A, B, differences=("/gamma",)).cautions
    assert steady == ["One seed each: other seeds may give a different result."]


# Figures


def figure(name: str, *runs: ComparisonEntry) -> FigureComparison:
    found = {one.id: one for one in compare_figures(runs, window=20, threshold=475, criterion=BY_TRAINING)}
    return found[name]


def evaluated(mean: float, std: float = 10.0) -> BestReturn:
    return BestReturn(mean, std, 10)


@cases(
    ("name", "better", "worse", "clear"),
    [
        ("final_moving_average", A, B, True),
        ("final_moving_average", A, entry("B", 476), False),
        ("best_moving_average", entry("A", 1, best=500.0), entry("B", 1, best=300.0), True),
        ("best_moving_average", entry("A", 1, best=500.0), entry("B", 1, best=499.0), False),
        ("best_policy", replace(A, best_policy=evaluated(500)), replace(B, best_policy=evaluated(480)), True),
        ("best_policy", replace(A, best_policy=evaluated(500, 90)), replace(B, best_policy=evaluated(480, 90)), False),
        ("steps_to_threshold", entry("A", 1, steps=10_000), entry("B", 1, steps=20_000), True),
        ("steps_to_threshold", entry("A", 1, steps=19_000), entry("B", 1, steps=20_000), False),
        ("steps_to_threshold", entry("A", 1, steps=10_000), entry("B", 1), True),
        ("steps_to_threshold", entry("A", 1, steps=10_000), entry("B", 1, step=10_500), False),
        ("seconds_to_threshold", entry("A", 1, seconds=3.0), entry("B", 1, seconds=60.0), True),
        ("seconds_to_threshold", entry("A", 1, seconds=3.0), entry("B", 1, seconds=3.1), False),
        ("stability", entry("A", 1, stability=1.0), entry("B", 1, stability=9.0), True),
        ("stability", entry("A", 1, stability=8.0), entry("B", 1, stability=9.0), False),
        ("fps", replace(A, steps_per_second=900.0), replace(B, steps_per_second=300.0), True),
        ("fps", replace(A, steps_per_second=900.0), replace(B, steps_per_second=890.0), False),
    ],
)
def test_the_better_run_is_best_only_if_the_difference_is_significant(
    name: str, better: ComparisonEntry, worse: ComparisonEntry, clear: bool
) -> None:
    for runs in itertools.permutations((better, worse)):
        found = figure(name, *runs)
        assert found.best == (better.run_id if clear else None)
        assert found.reason
        assert set(found.values) == {"a", "b"}


def test_best_policies_are_not_ranked_if_one_samples_its_actions() -> None:
    sampled = replace(evaluated(480), deterministic=False)
    found = figure("best_policy", replace(A, best_policy=evaluated(500)), replace(B, best_policy=sampled))
    assert found.best is None
    assert found.values == {"a": 500, "b": 480}
    assert found.reason == "Some runs were evaluated greedily, others with sampled actions."


@cases(
    ("name", "runs", "reason"),
    [
        ("final_moving_average", (A,), "There is no other run."),
        ("fps", (A, B), "No run has a value."),
        ("final_moving_average", (A, entry("B", None)), "Only A has a value: 480.0."),
        ("final_moving_average", (A, entry("B", 480)), "A and B are equal: 480.0."),
        (
            "final_moving_average",
            (A, B),
            "A 480.0, B 200.0: the difference exceeds the spread of their last 20 episodes.",
        ),
        ("final_moving_average", (A, replace(B, environment="Acrobot-v1")),
         "Not comparable across environments: CartPole-v1 and Acrobot-v1."),
        ("steps_to_threshold", (entry("A", 1, steps=8_000), B), "Only A has a value: 8k."),
        ("steps_to_threshold", (entry("A", 1, steps=8_000), entry("B", 1, step=8_500)),
         "A took 8k; B has not trained for clearly longer."),
    ],
)  # fmt: skip
def test_a_figure_says_why_a_run_is_best_or_why_none_is(
    name: str, runs: tuple[ComparisonEntry, ...], reason: str
) -> None:
    assert figure(name, *runs).reason == reason


# Labels


@pytest.mark.parametrize(
    ("runs", "labels"),
    [
        ([("a-1", "PPO", 1), ("a-2", "DQN", 1)], ["PPO", "DQN"]),
        ([("a-1", "PPO", 1), ("a-2", "PPO", 2)], ["PPO (seed 1)", "PPO (seed 2)"]),
        ([("run-7f3a", "PPO", 1), ("run-11bb", "PPO", 1)], ["PPO (7f3a)", "PPO (11bb)"]),
        ([("x-7f3a", "PPO", 1), ("y-7f3a", "PPO", 1)], ["PPO (x-7f3a)", "PPO (y-7f3a)"]),
        ([("r-aaaa", "PPO", 1), ("r-bbbb", "PPO", 1), ("r-cccc", "PPO", 2)],
         ["PPO (aaaa)", "PPO (bbbb)", "PPO (seed 2)"]),
        ([("r-aaaa", "PPO (seed 1)", 9), ("r-bbbb", "PPO", 1), ("r-cccc", "PPO", 2)],
         ["PPO (seed 1) (r-aaaa)", "PPO (r-bbbb)", "PPO (r-cccc)"]),
    ],
)  # fmt: skip
def test_runs_with_the_same_name_are_distinguished(runs: list[tuple[str, str, int]], labels: list[str]) -> None:
    assert distinct_labels([Named(*run) for run in runs]) == labels
