"""Comparison of methods over several environments, with known scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rlviz.domain.experiments import ExperimentSpec, RunSpec
from rlviz.server.experiments.service import methods_of, name_of
from rlviz.stats.experiments import ExperimentResults, LearningCurve, Scale, Setting, Trial, experiment_results
from rlviz.stats.experiments.report import ReportHead, latex, markdown, report
from rlviz.stats.experiments.results import for_threshold
from rlviz.stats.experiments.trials import Paid

CARTPOLE = Scale(random=20.0, threshold=420.0)
ACROBOT = Scale(random=-500.0, threshold=-100.0)
SCALES = {"CartPole-v1": CARTPOLE, "Acrobot-v1": ACROBOT}
LABELS = {"pc": "PPO on CartPole", "pa": "PPO on Acrobot", "dc": "DQN on CartPole", "da": "DQN on Acrobot"}
ENVIRONMENTS = {"pc": "CartPole-v1", "pa": "Acrobot-v1", "dc": "CartPole-v1", "da": "Acrobot-v1"}
METHODS = {"pc": "PPO", "pa": "PPO", "dc": "DQN", "da": "DQN"}
SCORES: dict[str, list[float | None]] = {
    "pc": [420, 420, 320, 220, 120],
    "pa": [-100, -100, -200, -300, -400],
    "dc": [20, 20, 20, 20, 20],
    "da": [-500, -500, -500, -500, -500],
}


def results(scores: dict[str, list[float | None]] = SCORES, **changes: object) -> ExperimentResults:
    curve = LearningCurve(np.array([100.0, 200.0]), np.array([1.0, 20.0]))
    trials = [
        Trial(
            variant,
            seed,
            f"{variant}-{seed}",
            score,
            ended=True,
            steps=200,
            core_seconds=2.0,
            paid=Paid(2.0, 200),
            curve=curve,
        )
        for variant, ours in scores.items()
        for seed, score in enumerate(ours)
    ]
    setting = Setting(LABELS, ENVIRONMENTS, methods=METHODS, scales=SCALES)
    return experiment_results(trials, replace(setting, **changes))  # type: ignore[arg-type]


def test_scores_are_normalised_in_each_environment_and_aggregated_over_both() -> None:
    found = results()
    assert found.across is not None
    assert [one.environment for one in found.across.environments] == ["CartPole-v1", "Acrobot-v1"]
    ppo, dqn = found.across.methods
    assert (ppo.label, ppo.n, ppo.seeds, ppo.environment) == ("PPO", 10, 5, "CartPole-v1 and Acrobot-v1")
    # 1, 1, 0.75, 0.5, 0.25 on each: of ten the lowest and the highest two are left out
    assert ppo.iqm == pytest.approx((0.5 + 0.5 + 0.75 + 0.75 + 1 + 1) / 6)
    assert (ppo.mean, ppo.std) == (pytest.approx(0.7), None)
    assert (ppo.optimality_gap, dqn.iqm, dqn.optimality_gap) == (pytest.approx(0.3), 0.0, 1.0)
    assert (ppo.rank, dqn.rank) == (1, 2)
    assert ppo.low is not None
    assert ppo.low < (ppo.iqm or 0)
    assert found.across.forest.reference == 1.0


def test_the_verdict_compares_methods_over_the_environments() -> None:
    found = results()
    assert found.verdict.headline == (
        "Over CartPole-v1 and Acrobot-v1, PPO is better than DQN with probability 1.00 [1.00, 1.00]."
    )
    assert (found.verdict.best, found.verdict.better_than) == ("m0", ["m1"])
    assert found.improvements.variants == ["m0", "m1"]
    (pair,) = found.improvements.pairs
    assert (pair.seeds_first, pair.seeds_second, pair.made.n) == (5, 5, 50)
    assert pair.chance == pytest.approx(2 / 252**2), "all of one above all of the other, on both"
    assert "normalised: 0 is the mean return of random actions, 1 the threshold, 20 and 420 on" in str(found.verdict)


def test_the_probability_is_the_mean_over_the_environments() -> None:
    """PPO is better in all pairs on CartPole, and in none on Acrobot."""
    found = results({**SCORES, "da": [-99.0] * 5})
    assert found.improvements.matrix[0][1] == pytest.approx(0.5)
    assert found.verdict.finding == "nothing"


@pytest.mark.parametrize("tied", [False, True])
def test_an_environment_with_equal_scores_adds_no_evidence(tied: bool) -> None:
    """Six methods with five seeds each; only the first is different, and only on CartPole: 15 pairs."""
    names = [f"m{place}" for place in range(6)]
    scores = {f"{name}-c": [float(seed + 10 * (name == "m0")) for seed in range(5)] for name in names}
    environments = dict.fromkeys(scores, "CartPole-v1")
    if tied:
        scores |= {f"{name}-a": [-100.0] * 5 for name in names}
        environments |= {f"{name}-a": "Acrobot-v1" for name in names}
    trials = [
        Trial(variant, seed, f"{variant}-{seed}", score, ended=True)
        for variant, ours in scores.items()
        for seed, score in enumerate(ours)
    ]
    methods = {variant: variant.partition("-")[0] for variant in scores}
    found = experiment_results(
        trials, Setting({name: name for name in scores}, environments, methods=methods, scales=SCALES)
    )
    assert found.improvements.pairs[0].chance == pytest.approx(2 / 252)
    assert found.verdict.finding == "nothing"


def test_methods_equal_in_one_environment_are_distinguished_by_the_other() -> None:
    found = results({**SCORES, "pa": [-500.0] * 5})
    assert found.improvements.pairs[0].chance == pytest.approx(2 / 252)
    assert found.verdict.headline.endswith("PPO is better than DQN with probability 0.75 [0.75, 0.75].")
    assert any(one.startswith("Where they are not level, every seed of PPO") for one in found.verdict.reasons)


def test_an_environment_without_scores_says_so() -> None:
    found = results({name: [None] * 5 for name in SCORES}).across
    assert found is not None
    assert found.left_out[0] == "CartPole-v1 is left out: nothing has a score there yet."


def test_profiles_use_normalised_scores() -> None:
    found = results().profiles
    assert (found.value[0], found.value[-1]) == (pytest.approx(-0.02), pytest.approx(1.02))
    assert [one.variant for one in found.variants] == ["m0", "m1"]
    assert found.variants[0].made.n == 10


def test_every_figure_says_that_scores_are_normalised() -> None:
    across = results().across
    assert across is not None
    for method in across.methods:
        assert "std" not in method.made
        assert all("0 is the mean return of random actions" in one.definition for one in method.made.values())


def test_an_environment_without_all_scores_is_left_out_and_reported() -> None:
    found = results({**SCORES, "da": [None] * 5})
    assert found.across is not None
    assert [one.environment for one in found.across.environments] == ["CartPole-v1"]
    assert found.across.left_out == ["Acrobot-v1 is left out: DQN has no score there."]
    assert found.across.left_out[0] in found.verdict.cautions
    assert found.verdict.headline.startswith("Over CartPole-v1, PPO is better than DQN")


def test_an_environment_without_a_threshold_is_left_out_and_reported() -> None:
    found = results(scales={"CartPole-v1": CARTPOLE})
    assert found.across is not None
    assert found.across.left_out[0].startswith("Acrobot-v1 is left out: it has no threshold, or")
    assert len(found.across.environments) == 1


def test_without_a_common_environment_there_is_no_verdict() -> None:
    found = results(scales={})
    assert found.across is not None
    assert (found.across.methods, found.improvements.pairs, found.profiles.variants) == ([], [], [])
    assert "different environments, whose returns are not on one scale" in found.verdict.headline


def test_a_verdict_needs_five_seeds_in_each_environment() -> None:
    found = results({name: ours[:4] for name, ours in SCORES.items()}).verdict
    assert found.finding == "nothing"
    assert "needs 5 seeds of each on each environment" in found.headline
    assert "PPO has 4 and DQN has 4" in found.headline


def test_variants_are_ranked_within_their_environment() -> None:
    assert {one.variant: one.rank for one in results().variants} == {"pc": 1, "pa": 1, "dc": 2, "da": 2}


def test_another_threshold_does_not_change_the_methods() -> None:
    found = results()
    setting = Setting(LABELS, ENVIRONMENTS, methods=METHODS, scales=SCALES, threshold=3.0)
    changed = for_threshold(found, [], setting)
    assert (changed.across, changed.verdict) == (found.across, found.verdict)


def test_each_environment_has_its_own_threshold_unless_one_is_requested() -> None:
    own = {"CartPole-v1": 420.0, "Acrobot-v1": -100.0}
    found = results(thresholds=own)
    assert found.thresholds is not None
    assert (found.threshold, found.thresholds.threshold) == (None, None)
    assert [one.threshold for one in found.thresholds.variants] == [420.0, -100.0, 420.0, -100.0]
    assert [one.made.definition.split(":")[0] for one in found.thresholds.variants[:2]] == [
        "Steps until a seed first reached a return of 420",
        "Steps until a seed first reached a return of -100",
    ]
    assert [one.optimality_gap for one in found.variants] == [120.0, 120.0, 400.0, 400.0]
    assert "median of the steps to the threshold of each environment;" in markdown(found)
    assert report(ReportHead("Both", "both-1", "now", "1.0", "{}"), found).count('class="reference"') == 2 * 3
    assert [one.threshold for one in results(thresholds=own, threshold=3.0).variants] == [3.0] * 4


def test_an_environment_without_a_threshold_has_no_steps_to_it() -> None:
    found = results(thresholds={"CartPole-v1": 420.0})
    assert found.thresholds is not None
    assert [one.variant for one in found.thresholds.variants] == ["pc", "dc"]
    assert [one.optimality_gap is None for one in found.variants] == [False, True, False, True]


def test_a_single_environment_has_no_methods() -> None:
    assert results(environments=dict.fromkeys(LABELS, "CartPole-v1")).across is None


def test_report_and_tables_agree() -> None:
    found = results()
    page = report(ReportHead("Both", "both-1", "now", "1.0", "{}"), found)
    assert page.count("Learning curves of 2 variants") == 2 * 2, "one for each environment, in either width"
    for told in (page, markdown(found), latex(found)):
        assert "CartPole-v1 and Acrobot-v1" in told
        assert "PPO is better than DQN" in told
        assert "0.70" in told, "the mean of PPO"
    assert "Scores over CartPole-v1 and Acrobot-v1" in page
    assert markdown(found).splitlines()[0].startswith("| method | scores | IQM |")
    assert latex(found).count(r"\begin{tabular}") == 2


def run_specs(**given: object) -> RunSpec:
    return RunSpec.model_validate(given)


@pytest.mark.parametrize(
    ("names", "method"),
    [
        (("PPO on CartPole", "PPO on Acrobot"), "PPO"),
        (("CartPole: PPO fast", "Acrobot: PPO fast"), "PPO fast"),
        (("first", "second"), "first and second"),
        (("CartPole", "Acrobot"), "CartPole and Acrobot"),
        (("x" * 60, "y" * 60), f"{'x' * 60} and 1 more"),
        (("PPO (CartPole)", "PPO (Acrobot)"), "PPO"),
    ],
)
def test_a_method_is_named_after_what_its_variants_share(names: tuple[str, str], method: str) -> None:
    trained = {"a": run_specs(algo="ppo"), "b": run_specs(algo="ppo", env_id="Acrobot-v1", total_timesteps=9)}
    assert methods_of(dict(zip("ab", names, strict=True)), trained) == {"a": method, "b": method}


def test_a_difference_beyond_the_environment_makes_another_method() -> None:
    trained = {
        "a": run_specs(),
        "b": run_specs(env_id="Acrobot-v1", hyperparameters={"gamma": 0.9}),
        "c": run_specs(algo="dqn"),
    }
    labels = {"a": "PPO", "b": "PPO, gamma 0.9", "c": "PPO"}
    found = methods_of(labels, trained)
    assert found == labels


def test_variants_with_different_lengths_in_one_environment_are_two_methods() -> None:
    trained = {
        f"{env}{steps}": run_specs(env_id=env, total_timesteps=steps)
        for env in ("CartPole-v1", "Acrobot-v1")
        for steps in (10, 20)
    }
    found = methods_of({one: one.replace("-v1", " ") for one in trained}, trained)
    assert found["CartPole-v110"] == found["Acrobot-v110"]
    assert found["CartPole-v110"] != found["CartPole-v120"]


def test_methods_with_the_same_name_are_distinguished() -> None:
    trained = {
        "a": run_specs(),
        "b": run_specs(env_id="Acrobot-v1"),
        "c": run_specs(hyperparameters={"gamma": 0.9}),
        "d": run_specs(env_id="Acrobot-v1", hyperparameters={"gamma": 0.9}),
    }
    labels = {"a": "PPO on CartPole", "b": "PPO on Acrobot", "c": "PPO for CartPole", "d": "PPO for Acrobot"}
    found = methods_of(labels, trained)
    assert found["a"] == found["b"]
    assert found["c"] == found["d"] != found["a"]
    assert not set(found.values()) & set(labels.values()), "none is called by the name of another variant"


def test_the_order_of_hyperparameters_makes_no_other_method() -> None:
    trained = {
        "a": run_specs(hyperparameters={"gamma": 0.9, "learning_rate": 0.1}),
        "b": run_specs(env_id="Acrobot-v1", hyperparameters={"learning_rate": 0.1, "gamma": 0.9}),
    }
    assert methods_of({"a": "PPO on CartPole", "b": "PPO on Acrobot"}, trained) == {"a": "PPO", "b": "PPO"}


def test_identically_trained_variants_with_two_names_are_two_methods() -> None:
    labels = {"a": "PPO on CartPole", "b": "Twin on CartPole", "c": "PPO on Acrobot", "d": "Twin on Acrobot"}
    trained = {one: run_specs(env_id=f"{name.split()[-1]}-v1") for one, name in labels.items()}
    assert methods_of(labels, trained) == {"a": "PPO", "b": "Twin", "c": "PPO", "d": "Twin"}


@pytest.mark.parametrize(
    ("environments", "name"),
    [
        (["CartPole-v1"], "PPO or A2C on CartPole-v1"),
        (["CartPole-v1", "Acrobot-v1"], "PPO or A2C on CartPole-v1 and Acrobot-v1"),
    ],
)
def test_an_experiment_is_named_after_its_methods_and_all_its_environments(environments: list[str], name: str) -> None:
    variants = [
        {
            "name": f"{algo.upper()} on {env_id}" if len(environments) > 1 else algo.upper(),
            "changes": {"algo": algo, "env_id": env_id},
        }
        for algo in ("ppo", "a2c")
        for env_id in environments
    ]
    assert name_of(ExperimentSpec.model_validate({"variants": variants})) == name
