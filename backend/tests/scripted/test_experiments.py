"""Experiments with a service: from the specification to the scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rlviz.domain.limits import LIMITS
from rlviz.rundir.experiment_folder import ExperimentFolder
from tests.support.cases import cases
from tests.support.cli import call
from tests.support.experiments import BASE, LONG, SEARCH, TINY, TWO, cells, create, ended, statuses
from tests.support.raw_requests import assert_problem
from tests.support.service_process import Service, serving
from tests.support.training import QUICK
from tests.support.waiting import eventually

UNIT = {"kind": "float", "low": 0, "high": 1}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("experiments"), max_concurrent_runs="2", launcher="scripted") as service:
        yield service


def test_two_variants_are_trained_with_each_seed_scored_and_compared(service: Service) -> None:
    experiment_id = create(service, TWO)
    found = ended(service, experiment_id)
    assert (found["status"], found["progress"], found["trials"]) == ("completed", 1.0, 4)
    assert statuses(found) == ["scored"] * 4
    assert [variant["label"] for variant in found["variants"]] == ["slow", "fast"]
    for cell in found["cells"]:
        config = service.get(f"/runs/{cell['run_id']}")["config"]
        assert config["experiment"] == {"id": experiment_id, "variant": cell["variant"], "trial": cell["trial"]}
        assert config["seed"] == cell["seed"]
        evaluation = service.get(f"/runs/{cell['run_id']}/evaluations/latest")
        assert cell["score"] == evaluation["summary"]["episode_return"]["mean"]
        assert not evaluation["video"]
    of_a_variant = {service.get(f"/runs/{cell['run_id']}")["group_id"] for cell in found["cells"][:2]}
    assert len(of_a_variant) == 1, "its seeds are a group"
    results = service.get(f"/experiments/{experiment_id}/results")
    assert [one["n"] for one in results["variants"]] == [2, 2]
    assert {str(one["policies"]) for one in results["variants"]} == {"{'latest': 2}"}
    assert service.get("/experiments")["experiments"][0]["id"] == experiment_id


def test_methods_are_compared_over_several_environments(service: Service) -> None:
    """The page, its report, its tables and the command line agree."""
    acrobot = {"env_id": "Acrobot-v1"}
    faster = {"hyperparameters": {"learning_rate": 1e-2}}
    variants = [
        {"name": "slow on CartPole"},
        {"name": "slow on Acrobot", "changes": acrobot},
        {"name": "fast on CartPole", "changes": faster},
        {"name": "fast on Acrobot", "changes": {**acrobot, **faster}},
    ]
    experiment_id = create(service, {**TINY, "variants": variants})
    assert statuses(ended(service, experiment_id)) == ["scored"] * 8
    results = service.get(f"/experiments/{experiment_id}/results")
    across = results["across"]
    assert [(one["environment"], one["random_return"], one["threshold"]) for one in across["environments"]] == [
        ("CartPole-v1", pytest.approx(23.76), 475.0),
        ("Acrobot-v1", pytest.approx(-498.83), -100.0),
    ]
    assert [(one["label"], one["n"], one["seeds"]) for one in across["methods"]] == [("slow", 4, 2), ("fast", 4, 2)]
    assert [len(one["scores"]) for one in results["variants"]] == [2] * 4
    assert [one["threshold"] for one in results["thresholds"]["variants"]] == [475.0, -100.0] * 2
    assert "of each on each environment" in results["verdict"]["headline"]
    shown = call(service.runs_dir, "experiment", "show", experiment_id)
    report = service.api("GET", f"/experiments/{experiment_id}/report").text
    table = service.api("GET", f"/experiments/{experiment_id}/export?format=markdown").text
    for text in (shown.out, report, table):
        assert results["verdict"]["headline"] in text
    assert "Acrobot-v1: 0 is the mean return of random actions (-498.8), 1 is the threshold (-100.0)." in shown.out


def test_experiments_are_paged_and_searchable(service: Service) -> None:
    names = [f"Page {place}" for place in range(3)]
    for name in names:
        create(service, {**TINY, "name": name, "seeds": 1, "variants": [{"name": "only"}]})
    found: list[str] = []
    cursor = None
    while True:
        given = {"q": "page", "limit": 2} | ({} if cursor is None else {"cursor": cursor})
        page = service.get("/experiments", params=given)
        assert page["total"] == 3
        found += [one["name"] for one in page["experiments"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert sorted(found) == names
    assert service.get("/experiments", params={"q": "nothing of that name"})["experiments"] == []
    (problem,) = assert_problem(service.api("GET", "/experiments?cursor=nonsense"), 422)["errors"]
    assert problem["pointer"] == "/cursor"


def test_results_are_prepared_before_they_are_requested(service: Service) -> None:
    experiment_id = create(service, {**TINY, "variants": [{"name": "only"}]})
    ended(service, experiment_id)
    folder = ExperimentFolder(service.runs_dir, experiment_id).path / "results"
    eventually(lambda: list(folder.glob("made-*.json")), "results that are kept", LONG)


def test_a_trial_is_scored_on_the_requested_number_of_episodes(service: Service) -> None:
    """It may exceed the limit for a user's evaluation, because scores in random games need many episodes."""
    episodes = LIMITS.evaluation_episodes.maximum + 1
    walks = {**BASE, "algo": "q-learning", "env_id": "FrozenLake-v1", "hyperparameters": {}}
    spec = {**TINY, "base": walks, "seeds": 1, "score": {"episodes": episodes}, "variants": [{"name": "only"}]}
    found = ended(service, create(service, spec))
    assert statuses(found) == ["scored"]
    evaluation = service.get(f"/runs/{found['cells'][0]['run_id']}/evaluations/latest")
    assert evaluation["episodes"] == len(evaluation["summary"]["episodes"]) == episodes


def test_a_trial_can_be_scored_with_sampled_actions(service: Service) -> None:
    spec = {**TINY, "seeds": 1, "score": {"episodes": 2, "deterministic": False}, "variants": [{"name": "only"}]}
    found = ended(service, experiment_id := create(service, spec))
    assert statuses(found) == ["scored"]
    evaluation = service.get(f"/runs/{found['cells'][0]['run_id']}/evaluations/latest")
    assert evaluation["deterministic"] is False
    results = service.get(f"/experiments/{experiment_id}/results")
    assert "with sampled actions" in results["score_definition"]
    training = service.get(f"/experiments/{experiment_id}/results", params={"score": "training"})
    assert "sampled" not in training["score_definition"]
    path = f"/experiments/{experiment_id}/keep-as-preset"
    preset = service.api("POST", path, json={"variant": "v0", "title": "Sampled"}).json()
    assert preset["measured"]["sampled"] is True


@pytest.mark.parametrize(("chosen", "stored"), [(None, False), (True, True)])
def test_scores_sample_actions_as_evaluations_do_unless_the_specification_chooses(
    service: Service, chosen: bool | None, stored: bool
) -> None:
    base = {**TINY["base"], "evaluation": {"every_steps": 128, "episodes": 1, "deterministic": False}}
    score = {"episodes": 2} if chosen is None else {"episodes": 2, "deterministic": chosen}
    spec = {**TINY, "base": base, "seeds": 1, "score": score, "variants": [{"name": "only"}]}
    found = ended(service, experiment_id := create(service, spec))
    assert service.get(f"/experiments/{experiment_id}")["specification"]["score"]["deterministic"] is stored
    evaluation = service.get(f"/runs/{found['cells'][0]['run_id']}/evaluations/latest")
    assert evaluation["deterministic"] is stored


def test_a_search_proposes_trials_trains_them_and_learns_from_their_scores(service: Service) -> None:
    experiment_id = create(service, SEARCH)
    found = ended(service, experiment_id)
    assert statuses(found) == ["scored"] * 6
    trials = service.get(f"/experiments/{experiment_id}/search")["trials"]
    assert [one["state"] for one in trials] == ["complete"] * 3


@pytest.mark.parametrize(
    ("spec", "overlaps"),
    [
        ({"variants": [{"name": "only"}], "seeds": 3}, True),
        ({"sweep": {**SEARCH["sweep"], "seeds_per_trial": 1}, "seeds": 1}, False),
    ],
    ids=["variants", "a search, which proposes by scores"],
)
def test_the_next_trial_trains_while_the_previous_one_is_scored(
    service: Service, spec: dict[str, Any], overlaps: bool
) -> None:
    experiment_id = create(service, {**TINY, **spec, "parallel": 1})
    assert statuses(ended(service, experiment_id)) == ["scored"] * 3
    lines = list(ExperimentFolder(service.runs_dir, experiment_id).read_trials())
    second = next(place for place, line in enumerate(lines) if line.trial == 1)
    scored = next(place for place, line in enumerate(lines) if line.trial == 0 and line.state == "scored")
    assert (second < scored) == overlaps


def test_the_cost_of_an_ended_experiment_is_unchanged_by_deleting_and_restoring_its_runs(
    service: Service,
) -> None:
    experiment_id = create(service, {**TINY, "variants": [{"name": "a"}]})
    whole = ended(service, experiment_id)["core_seconds"]
    run_id = cells(service, experiment_id)[0]["run_id"]

    def costs() -> set[float]:
        """Return the cost of an experiment from its page, the list and its results."""
        (listed,) = service.get("/experiments", params={"q": experiment_id})["experiments"]
        results = service.get(f"/experiments/{experiment_id}/results")
        shown = service.get(f"/experiments/{experiment_id}")
        return {round(one["core_seconds"], 6) for one in (shown, listed, results["cost"])}

    assert costs() == {round(whole, 6)}
    assert service.api("DELETE", f"/runs/{run_id}").status_code == 204
    (without,) = costs()
    assert 0 < without < whole
    assert service.api("POST", f"/runs/{run_id}/restore").status_code == 200
    assert costs() == {round(whole, 6)}


@cases(
    ("changes", "pointer"),
    [
        ({"variants": [], "nonsense": 1}, "/nonsense"),
        ({"variants": []}, "/variants"),
        ({"variants": [], "grid": {}}, "/variants"),
        ({"variants": [], "grid": {"learning_rate": []}}, "/grid/learning_rate"),
        ({"variants": [], "grid": {"learning_rate": [0.1, 0.1]}}, "/grid/learning_rate"),
        ({"grid": {"learning_rate": [0.1]}}, "/grid"),
        ({"seeds": [1, 2, 1]}, "/seeds"),
        ({"seeds": []}, "/seeds"),
        ({"variants": [{"name": "x", "changes": {"algo": "sac"}}]}, "/variants/0/changes/algo"),
        ({"variants": [{"name": "x"}, {"name": "X "}]}, "/variants"),
        ({"seeds": 1_000}, "/confirm"),
        ({"limits": {"steps": 10}}, "/limits/steps"),
        ({"limits": {"seconds": -1}}, "/limits/seconds"),
        ({"limits": {"seconds": 0.001}}, "/limits/seconds"),
        ({"limits": {"core_seconds": 0.5}}, "/limits/core_seconds"),
        ({"fail_mode": "perhaps"}, "/fail_mode"),
        ({"fail_mode": "continue", "retries": 2}, "/retries"),
        ({"variants": [], "sweep": SEARCH["sweep"], "seeds": [1, 2, 3]}, "/seeds"),
        ({"variants": [], "sweep": {"space": {"gamma": {**UNIT, "low": 1}}}}, "/sweep/space/gamma/high"),
        (
            {"variants": [], "sweep": {"space": {"gamma": {**UNIT, "when": {"n_steps": [8]}}}}},
            "/sweep/space/gamma/when/n_steps",
        ),
        (
            {"variants": [], "sweep": {**SEARCH["sweep"], "pruner": "median"}},
            "/sweep/pruner",
        ),
        (
            {"variants": [], "sweep": {"space": {"nonsense": {"kind": "float", "low": 0, "high": 1}}}},
            "/sweep/space/nonsense",
        ),
    ],
)
def test_an_experiment_that_cannot_be_trained_is_refused_before_it_starts(
    service: Service, changes: dict[str, Any], pointer: str
) -> None:
    before = len(service.get("/experiments")["experiments"])
    problem = assert_problem(service.api("POST", "/experiments", json={**TWO, **changes}), 422)
    assert {error["pointer"] for error in problem["errors"]} == {pointer}, problem
    assert len(service.get("/experiments")["experiments"]) == before


def test_a_preset_deleted_after_the_start_is_trained_unchanged(service: Service) -> None:
    """The creation of an experiment stores what it trains."""
    source = ended(service, create(service, {**TINY, "variants": [{"name": "kept"}]}))
    kept = service.api("POST", f"/experiments/{source['id']}/keep-as-preset", json={"variant": "v0", "title": "Mine"})
    assert kept.status_code == 201, kept.text
    wanted = {"base": {"algo": "ppo", "preset": "own-mine"}, "seeds": 3, "parallel": 1, "score": {"episodes": 2}}
    experiment_id = create(service, {**wanted, "variants": [{"name": "only"}]})
    assert service.api("DELETE", "/presets/own-mine").status_code == 204
    found = ended(service, experiment_id)
    assert statuses(found) == ["scored"] * 3
    assert found["variants"][0]["total_timesteps"] == 256
    config = service.get(f"/runs/{found['cells'][2]['run_id']}")["config"]
    assert (config["preset"], config["total_timesteps"]) == ("own-mine", 256)
    assert config["hyperparameters"]["n_steps"] == QUICK["ppo"]["n_steps"]


def test_an_unsuitable_trial_of_a_search_does_not_end_a_fail_fast_experiment(service: Service) -> None:
    space = {"batch_size": {"kind": "choice", "choices": [32, 64]}, "n_steps": {"kind": "choice", "choices": [32, 64]}}
    space["gamma"] = {"kind": "float", "low": 0.9, "high": 0.99}
    sweep = {"space": space, "trials": 4, "seeds_per_trial": 1, "sampler": "random"}
    found = ended(service, create(service, {**TINY, "seeds": 1, "fail_mode": "fast-fail", "sweep": sweep}))
    assert found["status"] == "completed", found["cause"]
