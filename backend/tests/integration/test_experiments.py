"""Experiments on a real service: from the specification to scores, through stops, failures and bad input."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.limits import LIMITS
from rlviz.rundir.experiment_folder import ExperimentFolder
from rlviz.services.experiments.scheduler import LOOK_SECONDS
from tests.support.cli import call
from tests.support.raw_requests import assert_problem
from tests.support.service_process import Service, serving
from tests.support.training import QUICK
from tests.support.waiting import eventually

PLACES = 2
"""Runs that the service of this file trains at a time."""

BASE = {
    "algo": "ppo",
    "preset": None,
    "total_timesteps": 256,
    "hyperparameters": QUICK["ppo"],
}
HELD = {**BASE, "env_id": "Held", "total_timesteps": 512, "hyperparameters": {**QUICK["ppo"], "n_steps": 32}}
TINY = {"base": BASE, "seeds": 2, "score": {"episodes": 2, "policy": "latest"}}
TWO = {
    **TINY,
    "variants": [{"name": "slow", "changes": {"hyperparameters": {"learning_rate": 1e-5}}}, {"name": "fast"}],
}
SEARCH = {
    **TINY,
    "sweep": {
        "space": {"learning_rate": {"kind": "float", "low": 1e-4, "high": 1e-2, "log": True}},
        "trials": 3,
        "seeds_per_trial": 2,
    },
}
UNIT = {"kind": "float", "low": 0, "high": 1}
LONG = 600.0

OWN = """
import time
from pathlib import Path

from gymnasium.envs.classic_control import CartPoleEnv

HOLD = Path(__file__).with_name("hold")

class Breaks(CartPoleEnv):
    taken = 0

    def step(self, action):
        Breaks.taken += 1
        if Breaks.taken > 150:
            raise RuntimeError("it snapped")
        return super().step(action)

class Held(CartPoleEnv):
    def step(self, action):
        if HOLD.exists():
            time.sleep(0.02)
        return super().step(action)
"""
"""Environments of our own: one that fails after some steps, and one that is slow as long as a file lies beside it."""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of our own environments."""
    path = tmp_path_factory.mktemp("own") / "own.py"
    path.write_text(OWN)
    return path


@pytest.fixture(scope="module")
def service(own: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder, environments = tmp_path_factory.mktemp("experiments"), f"{own}:Breaks,{own}:Held"
    with serving(folder, max_concurrent_runs=str(PLACES), environments=environments) as service:
        yield service


def has_environment(service: Service, env_id: str) -> None:
    """Wait until it was probed."""
    eventually(lambda: any(one["id"] == env_id for one in service.get("/environments")), f"the probe of {env_id}", LONG)


def create(service: Service, spec: dict[str, Any]) -> str:
    answer = service.api("POST", "/experiments", json=spec)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def ended(service: Service, experiment_id: str) -> dict[str, Any]:
    """The experiment, once it is over."""

    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = service.get(f"/experiments/{experiment_id}")
        return found if found["status"] in ("completed", "failed") else None

    return eventually(look, "the end of the experiment", LONG)


def cells(service: Service, experiment_id: str) -> list[dict[str, Any]]:
    return list(service.get(f"/experiments/{experiment_id}")["cells"])


def statuses(experiment: dict[str, Any]) -> list[str]:
    return [cell["status"] for cell in experiment["cells"]]


def test_two_variants_are_trained_with_each_seed_scored_and_judged(service: Service) -> None:
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
    """The page, its report, its tables and the command line say the same."""
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
    assert "on each environment are needed" in results["verdict"]["headline"]
    shown = call(service.runs_dir, "experiment", "show", experiment_id)
    report = service.api("GET", f"/experiments/{experiment_id}/report").text
    table = service.api("GET", f"/experiments/{experiment_id}/export?format=markdown").text
    for text in (shown.out, report, table):
        assert results["verdict"]["headline"] in text
    assert "Acrobot-v1: 0 is the mean return of random actions, -498.8; 1 is the threshold, -100." in shown.out


def test_a_list_comes_in_pages_and_can_be_searched(service: Service) -> None:
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


def test_results_are_there_before_somebody_asks(service: Service) -> None:
    experiment_id = create(service, {**TINY, "variants": [{"name": "only"}]})
    ended(service, experiment_id)
    folder = ExperimentFolder(service.runs_dir, experiment_id).path / "results"
    eventually(lambda: list(folder.glob("made-*.json")), "results that are kept", LONG)


def test_a_trial_is_scored_on_as_many_episodes_as_wanted(service: Service) -> None:
    """More than a person may ask for: in games of chance a score of few episodes says little."""
    episodes = LIMITS.evaluation_episodes.maximum + 1
    walks = {**BASE, "algo": "q-learning", "env_id": "FrozenLake-v1", "hyperparameters": {}}
    spec = {**TINY, "base": walks, "seeds": 1, "score": {"episodes": episodes}, "variants": [{"name": "only"}]}
    found = ended(service, create(service, spec))
    assert statuses(found) == ["scored"]
    evaluation = service.get(f"/runs/{found['cells'][0]['run_id']}/evaluations/latest")
    assert evaluation["episodes"] == len(evaluation["summary"]["episodes"]) == episodes


def test_a_search_proposes_trains_and_learns_of_the_scores(service: Service) -> None:
    experiment_id = create(service, SEARCH)
    found = ended(service, experiment_id)
    assert statuses(found) == ["scored"] * 6
    trials = service.get(f"/experiments/{experiment_id}/search")["trials"]
    assert [one["state"] for one in trials] == ["complete"] * 3


def test_a_search_proposes_no_more_while_a_trial_waits_for_a_place(service: Service, own: Path) -> None:
    """The app trains fewer runs at a time than the search would have."""
    has_environment(service, "Held")
    hold = own.with_name("hold")
    hold.touch()
    sweep = {**SEARCH["sweep"], "trials": PLACES + 2, "seeds_per_trial": 1}
    spec = {**TINY, "base": HELD, "seeds": 1, "parallel": PLACES + 2, "sweep": sweep}
    experiment_id = create(service, spec)
    one_waits = ["training"] * PLACES + ["waiting"]
    eventually(lambda: statuses(service.get(f"/experiments/{experiment_id}")) == one_waits, "one that waits", LONG)
    time.sleep(2 * LOOK_SECONDS)
    assert statuses(service.get(f"/experiments/{experiment_id}")) == one_waits
    hold.unlink()
    assert statuses(ended(service, experiment_id)) == ["scored"] * (PLACES + 2)


@pytest.mark.parametrize(
    ("spec", "overlaps"),
    [
        ({"variants": [{"name": "only"}], "seeds": 3}, True),
        ({"sweep": {**SEARCH["sweep"], "seeds_per_trial": 1}, "seeds": 1}, False),
    ],
    ids=["variants", "a search, which proposes by scores"],
)
def test_the_next_trial_trains_while_one_is_scored(service: Service, spec: dict[str, Any], overlaps: bool) -> None:
    experiment_id = create(service, {**TINY, **spec, "parallel": 1})
    assert statuses(ended(service, experiment_id)) == ["scored"] * 3
    lines = ExperimentFolder(service.runs_dir, experiment_id).read_trials()
    second = next(place for place, line in enumerate(lines) if line.trial == 1)
    scored = next(place for place, line in enumerate(lines) if line.trial == 0 and line.state == "scored")
    assert (second < scored) == overlaps


def test_one_that_is_stopped_pauses_its_runs_and_goes_on_with_them(service: Service, own: Path) -> None:
    """They are held until they have paused, so that they have steps left."""
    has_environment(service, "Held")
    hold = own.with_name("hold")
    hold.touch()
    spec = {**TINY, "base": HELD, "variants": [{"name": "only"}], "seeds": 3}
    experiment_id = create(service, spec)
    eventually(lambda: any(cell["progress"] for cell in cells(service, experiment_id)), "steps")
    assert service.api("POST", f"/experiments/{experiment_id}/stop").json()["status"] == "stopped"

    def runs() -> list[str]:
        found = cells(service, experiment_id)
        return [service.get(f"/runs/{cell['run_id']}")["status"] for cell in found if cell["run_id"]]

    eventually(lambda: set(runs()) <= {"paused", "stopped", "completed"}, "a stand-still", LONG)

    def paused() -> set[str]:
        return {cell["run_id"] for cell in cells(service, experiment_id) if cell["status"] == "paused"}

    before = eventually(paused, "trials whose runs are paused", LONG)
    hold.unlink()
    service.api("POST", f"/experiments/{experiment_id}/resume")
    found = ended(service, experiment_id)
    assert statuses(found) == ["scored"] * 3
    assert before <= {cell["run_id"] for cell in found["cells"]}, "they went on where they were"
    again = service.api("POST", f"/experiments/{experiment_id}/resume")
    assert assert_problem(again, 409)["title"] == "Experiment is over"


@pytest.mark.parametrize(
    ("wishes", "status", "attempts", "others"),
    [
        ({"fail_mode": "continue"}, "completed", 1, {"scored"}),
        ({"fail_mode": "retry", "retries": 1}, "completed", 2, {"scored"}),
        ({"fail_mode": "fast-fail", "parallel": 1}, "failed", 1, {"scored", "skipped"}),
    ],
)
def test_a_variant_that_always_crashes(
    service: Service, wishes: dict[str, Any], status: str, attempts: int, others: set[str]
) -> None:
    has_environment(service, "Breaks")
    variants = [{"name": "sound"}, {"name": "breaks", "changes": {"env_id": "Breaks"}}]
    found = ended(service, create(service, {**TINY, **wishes, "variants": variants}))
    assert found["status"] == status, found
    crashed = [cell for cell in found["cells"] if cell["variant"] == "v1" and cell["status"] == "failed"]
    assert crashed
    assert {cell["attempt"] for cell in crashed} == {attempts}
    assert all("it snapped" in cell["cause"] for cell in crashed)
    assert {cell["status"] for cell in found["cells"] if cell["variant"] == "v0"} <= others
    if status == "failed":
        assert "breaks, seed 0" in found["cause"]


def test_what_one_that_is_over_has_cost_is_said_alike_when_a_run_of_it_is_deleted_and_restored(
    service: Service,
) -> None:
    experiment_id = create(service, {**TINY, "variants": [{"name": "a"}]})
    whole = ended(service, experiment_id)["core_seconds"]
    run_id = cells(service, experiment_id)[0]["run_id"]

    def costs() -> set[float]:
        """Of its page, of the list and of its results."""
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


def test_one_that_is_deleted_while_it_trains_leaves_its_runs(service: Service) -> None:
    spec = {**TINY, "base": {**BASE, "total_timesteps": 1_000_000}, "variants": [{"name": "a"}]}
    experiment_id = create(service, spec)
    training = eventually(
        lambda: [cell for cell in cells(service, experiment_id) if cell["status"] == "training"], "training"
    )
    assert service.api("DELETE", f"/experiments/{experiment_id}").status_code == 204
    assert_problem(service.api("GET", f"/experiments/{experiment_id}"), 404)
    service.wait_for_status(training[0]["run_id"], "stopped")
    assert not ExperimentFolder(service.runs_dir, experiment_id).path.exists()


@pytest.mark.parametrize(
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
def test_what_cannot_be_trained_is_refused_before_anything_begins(
    service: Service, changes: dict[str, Any], pointer: str
) -> None:
    before = len(service.get("/experiments")["experiments"])
    problem = assert_problem(service.api("POST", "/experiments", json={**TWO, **changes}), 422)
    assert {error["pointer"] for error in problem["errors"]} == {pointer}, problem
    assert len(service.get("/experiments")["experiments"]) == before


def test_a_preset_that_is_deleted_meanwhile_is_trained_as_it_was(service: Service) -> None:
    """What an experiment trains is written down when it is created."""
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


def test_a_service_that_is_killed_repeats_no_trial(tmp_path: Path) -> None:
    with serving(tmp_path, max_concurrent_runs="2") as first:
        experiment_id = create(first, TWO)
        eventually(lambda: first.get(f"/experiments/{experiment_id}")["counts"].get("scored"), "a score", LONG)
        first.process.kill()
        first.process.wait()
    with serving(tmp_path, max_concurrent_runs="2") as second:
        found = ended(second, experiment_id)
    assert statuses(found) == ["scored"] * 4
    lines = ExperimentFolder(tmp_path / "runs", experiment_id).read_trials()
    scored = [line.trial for line in lines if line.state == "scored"]
    assert sorted(scored) == list(range(4)), "each once"


def test_runs_that_were_stopped_because_the_app_ended_go_on(tmp_path: Path, own: Path) -> None:
    spec = {**TINY, "base": HELD, "variants": [{"name": "only"}], "seeds": 1}
    hold, given = own.with_name("hold"), {"max_concurrent_runs": "1", "environments": f"{own}:Held"}
    hold.touch()
    with serving(tmp_path, on_exit="stop", **given) as first:
        has_environment(first, "Held")
        experiment_id = create(first, spec)
        # Far enough to have a snapshot: what is stopped before it has one is begun anew.
        eventually(lambda: any((cell["progress"] or 0) > 0.1 for cell in cells(first, experiment_id)), "steps")
        begun = cells(first, experiment_id)[0]["run_id"]
    hold.unlink()
    with serving(tmp_path, **given) as second:
        found = ended(second, experiment_id)
        attempt = second.get(f"/runs/{begun}")["attempt"]
    assert statuses(found) == ["scored"]
    assert found["cells"][0]["run_id"] == begun
    assert attempt == 2, "it was stopped in the middle and went on"


def test_a_misfit_of_a_search_does_not_end_an_experiment_that_fails_fast(service: Service) -> None:
    space = {"batch_size": {"kind": "choice", "choices": [32, 64]}, "n_steps": {"kind": "choice", "choices": [32, 64]}}
    space["gamma"] = {"kind": "float", "low": 0.9, "high": 0.99}
    sweep = {"space": space, "trials": 4, "seeds_per_trial": 1, "sampler": "random"}
    found = ended(service, create(service, {**TINY, "seeds": 1, "fail_mode": "fast-fail", "sweep": sweep}))
    assert found["status"] == "completed", found["cause"]


@pytest.mark.parametrize("file", ["experiment.json", "optuna.journal"])
def test_one_that_is_damaged_is_told_and_can_be_deleted(tmp_path: Path, file: str) -> None:
    spec = {**SEARCH, "base": {**BASE, "total_timesteps": 1_000_000}}
    with serving(tmp_path, max_concurrent_runs="1") as first:
        experiment_id = create(first, spec)
        eventually(lambda: cells(first, experiment_id), "a proposal")
    folder = ExperimentFolder(tmp_path / "runs", experiment_id)
    (folder.path / file).write_text('{"op_code": "nonsense"}\n')
    with serving(tmp_path, max_concurrent_runs="1") as second:
        assert file in second.get("/experiments")["damaged"][experiment_id]
        assert_problem(second.api("GET", f"/experiments/{experiment_id}"), 409)
        assert second.api("DELETE", f"/experiments/{experiment_id}").status_code == 204
        assert second.get("/experiments")["damaged"] == {}
    assert not folder.path.exists()
