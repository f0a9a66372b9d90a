"""The endpoints that search, rank and group episodes of evaluations."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from rlviz.domain.spaces import SpaceLayout
from rlviz.learning.records.about import Components
from tests.support.raw_requests import assert_problem
from tests.support.recorded import Played, evaluated
from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving

FIRST, OTHER, EMPTY, POLES, LAKE, SCALED = "ppo-first", "dqn-other", "a2c-empty", "ppo-poles", "dqn-lake", "ppo-scaled"

POLE = Components(
    layout=SpaceLayout(kind="Box", shape=(2,), dtype="float32", numbers=2),
    labels=["pole angle", "pole angular velocity"],
    units=["rad", "rad/s"],
)
SQUARE = Components(layout=SpaceLayout(kind="Discrete", dtype="int64", numbers=1, counts=[16], starts=[0]))


def falling(length: int, side: int) -> Played:
    """A pole that falls to one side ever faster; its predicted value collapses shortly before the end."""
    angle = side * 0.215 * np.linspace(0, 1, length + 1) ** 2
    values = [50.0] * (length - 4) + [30.0, 20.0, 10.0, 5.0, 0.0]
    seen = np.stack([angle, np.gradient(angle) * 50], axis=1).astype(np.float32)
    return Played([1.0] * length, True, seen, values)


def standing(length: int) -> Played:
    angle = 0.05 * np.sin(np.arange(length + 1) / 7)
    seen = np.stack([angle, np.gradient(angle) * 50], axis=1).astype(np.float32)
    return Played([1.0] * length, False, seen, [50.0] * (length + 1))


def walk(*squares: int) -> Played:
    rewards = [0.0] * (len(squares) - 2) + [1.0 if squares[-1] == 15 else 0.0]
    return Played(rewards, True, np.array(squares).reshape(-1, 1))


def plain(*episodes: tuple[float, int, bool]) -> list[Played]:
    """Return the return, the length, and whether it terminated, of each episode."""
    return [Played([whole] + [0.0] * (length - 1), terminated) for whole, length, terminated in episodes]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    place = tmp_path_factory.mktemp("episodes")
    root = place / "runs"
    first = make_run(root, FIRST, rows=10, status="completed")
    evaluated(first, 1_000, plain((20.0, 20, True), (35.0, 35, True)))
    evaluated(first, 2_000, plain((500.0, 500, False), (90.0, 250, True)), video=True)
    evaluated(make_run(root, OTHER, rows=10, status="completed"), 3_000, plain((60.0, 300, True)))
    poles = make_run(root, POLES, rows=10, status="completed")
    evaluated(poles, 500, plain((10.0, 10, True)))
    evaluated(poles, 1_000, [falling(30 + at, 1) for at in range(6)] + [falling(40, -1)], seen=POLE, video=True)
    evaluated(poles, 2_000, [falling(60, 1), standing(200), standing(200)], seen=POLE)
    scaled = make_run(
        root, SCALED, rows=10, status="completed", hyperparameters={"gamma": 0.9, "normalize_rewards": True}
    )
    evaluated(scaled, 1_000, [falling(60, 1)], seen=POLE)
    lake = make_run(root, LAKE, rows=10, status="completed", env_id="FrozenLake-v1")
    evaluated(lake, 1_000, [walk(0, 4, 5), walk(0, 1, 5), walk(0, 4, 8, 9, 10, 14, 15)], seen=SQUARE)
    make_run(root, EMPTY, rows=10, status="completed")
    with serving(place, launcher="scripted") as service:
        yield service


def found(service: Service, **query: object) -> list[tuple[str, int, float]]:
    answer = service.get("/episodes", params={"runs": FIRST, **query})
    return [(each["run_id"], each["checkpoint_step"], each["result"]["episode_return"]) for each in answer["episodes"]]


def test_episodes_of_several_runs_are_searched_together_worst_first(runs: Service) -> None:
    assert found(runs, runs=f"{FIRST},{OTHER}", where="return < 100 and length > 200") == [
        (OTHER, 3_000, 60.0),
        (FIRST, 2_000, 90.0),
    ]


def test_the_response_counts_all_searched_and_found_episodes_beyond_its_limit(runs: Service) -> None:
    answer = runs.get("/episodes", params={"runs": f"{FIRST},{OTHER}", "where": "terminated", "limit": 1})
    assert (answer["evaluations"], answer["searched"], answer["found"], len(answer["episodes"])) == (3, 5, 4, 1)
    assert answer["where"] == "terminated"


def test_episodes_are_sorted_as_requested(runs: Service) -> None:
    assert [episode[2] for episode in found(runs, sort="-return")] == [500.0, 90.0, 35.0, 20.0]
    assert [episode[1] for episode in found(runs, sort="-step")] == [2_000, 2_000, 1_000, 1_000]
    assert [episode[2] for episode in found(runs, sort="length")] == [20.0, 35.0, 90.0, 500.0]


def test_only_episodes_with_a_stored_video_link_to_one(runs: Service) -> None:
    assert found(runs, where="video") == [(FIRST, 2_000, 90.0), (FIRST, 2_000, 500.0)]
    assert found(runs, where="not video") == [(FIRST, 1_000, 20.0), (FIRST, 1_000, 35.0)]


def test_a_run_without_evaluations_has_no_episodes(runs: Service) -> None:
    answer = runs.get("/episodes", params={"runs": EMPTY})
    assert (answer["evaluations"], answer["searched"], answer["episodes"]) == (0, 0, [])


def test_an_invalid_search_is_reported_with_its_position(runs: Service) -> None:
    answer = runs.api("GET", "/episodes", params={"runs": FIRST, "where": "retrun < 100"})
    problem = assert_problem(answer, 422)
    assert "At character 1" in problem["detail"]
    assert "'return'" in problem["detail"]
    assert_problem(runs.api("GET", "/episodes", params={"runs": "no-such-run"}), 404)
    assert_problem(runs.api("GET", "/episodes", params={"runs": ""}), 422)


# Judged


def evaluation_of(runs: Service, run_id: str, step: int) -> str:
    listed = runs.get(f"/runs/{run_id}/evaluations")
    return next(str(each["id"]) for each in listed if each["checkpoint_step"] == step)


def judgement(runs: Service, run_id: str, step: int) -> dict[str, object]:
    found: dict[str, object] = runs.get(f"/runs/{run_id}/evaluations/{evaluation_of(runs, run_id, step)}/judgement")
    return found


def test_worst_median_and_best_episodes_need_no_records(runs: Service) -> None:
    found = judgement(runs, FIRST, 2_000)
    assert found["ranking"] == {"worst": 2, "median": 2, "best": 1}
    assert [each["episodes"] for each in found["bins"]] == [[2], [1]]  # type: ignore[attr-defined]
    assert (found["recorded"], found["moments"]) == (False, [])


def test_moments_point_to_the_video_frame_that_shows_them(runs: Service) -> None:
    moments = {
        moment["kind"]: moment
        for moment in judgement(runs, POLES, 1_000)["moments"]  # type: ignore[attr-defined]
        if moment["episode"] == 2
    }
    assert moments.keys() == {"value_collapse", "largest_surprise", "final_steps"}
    first_frame = 30 + 1
    assert (moments["final_steps"]["step"], moments["final_steps"]["frame"]) == (21, first_frame + 21)
    assert (moments["value_collapse"]["step"], moments["value_collapse"]["amount"]) == (26, 50.0)
    surprise = moments["largest_surprise"]
    assert (surprise["step"], surprise["amount"]) == (27, pytest.approx(abs(1 + 0.99 * 30 - 50)))


def test_normalised_rewards_give_no_surprise_moments(runs: Service) -> None:
    kinds = {moment["kind"] for moment in judgement(runs, SCALED, 1_000)["moments"]}  # type: ignore[attr-defined]
    assert kinds == {"value_collapse", "final_steps"}


def test_a_missing_evaluation_cannot_be_judged(runs: Service) -> None:
    assert_problem(runs.api("GET", f"/runs/{FIRST}/evaluations/eval_20200101-000000-000/judgement"), 404)
    assert_problem(runs.api("GET", f"/runs/{FIRST}/evaluations/..%2f..%2fconfig/judgement"), 404)


def test_endings_have_names_shares_a_trend_and_an_example(runs: Service) -> None:
    found = runs.get("/episodes/endings", params={"runs": POLES})
    assert [each["checkpoint_step"] for each in found["evaluations"]] == [1_000, 2_000]
    assert [each["episodes"] for each in found["evaluations"]] == [7, 3]
    assert (found["without_records"], found["episodes"]) == (1, 10)
    right, limit, left = found["endings"]
    assert (right["title"], right["kind"]) == ("pole angle > 12°", "rule")
    assert (limit["title"], limit["kind"]) == ("cut off by the time limit", "truncated")
    assert (left["title"], left["kind"]) == ("pole angle < −12°", "rule")
    assert (right["episodes"], right["share"]) == (7, pytest.approx(0.7))
    assert right["shares"] == pytest.approx([6 / 7, 1 / 3])
    assert limit["shares"] == pytest.approx([0, 2 / 3])
    assert (limit["mean_return"], left["mean_return"]) == (200, 40)
    for ending in (right, limit, left):
        assert math.isclose(ending["share"], ending["episodes"] / 10)


def test_the_example_has_a_stored_video_if_any_episode_does(runs: Service) -> None:
    right, limit, _ = runs.get("/episodes/endings", params={"runs": POLES})["endings"]
    assert right["example"]["has_video"]
    assert right["example"]["evaluation_id"] == evaluation_of(runs, POLES, 1_000)
    assert right["example"]["result"]["episode_return"] == 32
    assert not limit["example"]["has_video"]
    assert limit["example"]["evaluation_id"] == evaluation_of(runs, POLES, 2_000)


def test_the_squares_of_a_grid_world_name_its_endings(runs: Service) -> None:
    endings = runs.get("/episodes/endings", params={"runs": LAKE})["endings"]
    assert [(each["title"], each["episodes"]) for each in endings] == [
        ("fell into a hole at row 2, column 2", 2),
        ("reached the goal", 1),
    ]


def test_runs_of_one_environment_are_analysed_together_and_of_several_refused(runs: Service) -> None:
    together = runs.get("/episodes/endings", params={"runs": f"{POLES},{SCALED}"})
    assert together["episodes"] == 11
    by_run = [(each["run_id"], each["episodes"]) for each in together["evaluations"]]
    assert sorted(by_run) == sorted([(POLES, 7), (POLES, 3), (SCALED, 1)])
    problem = assert_problem(runs.api("GET", "/episodes/endings", params={"runs": f"{POLES},{LAKE}"}), 422, "/runs")
    assert "one environment" in problem["detail"]


def test_without_records_no_endings_are_reported(runs: Service) -> None:
    for run_id, missing in ((FIRST, 2), (EMPTY, 0)):
        found = runs.get("/episodes/endings", params={"runs": run_id})
        assert (found["evaluations"], found["without_records"], found["endings"]) == ([], missing, [])
