"""Episodes of evaluations, searched and judged, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from rlviz.domain.evaluation import EpisodeResult, EvaluationRecord, EvaluationStatus
from rlviz.domain.ids import new_evaluation_id
from rlviz.evaluation.summary import summarize
from rlviz.rundir.folder import RunFolder
from tests.support.http import Service, assert_problem, make_run, serving

FIRST, OTHER, EMPTY = "ppo-first", "dqn-other", "a2c-empty"
BEGAN = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)


def evaluated(folder: RunFolder, step: int, episodes: Sequence[tuple[float, int, bool]], *, video: bool = False) -> str:
    """A completed evaluation of the policy at ``step``; of each episode return, length, and whether it terminated."""
    evaluation_id = new_evaluation_id(BEGAN + timedelta(seconds=step))
    first_frame, results = 0, []
    for place, (episode_return, length, terminated) in enumerate(episodes):
        results.append(
            EpisodeResult(
                index=place + 1,
                episode_return=episode_return,
                episode_length=length,
                terminated=terminated,
                truncated=not terminated,
                seed=100 + place,
                first_frame=first_frame,
            )
        )
        first_frame += length + 1
    folder.write_evaluation(
        EvaluationRecord(
            id=evaluation_id,
            run_id=folder.run_id,
            status=EvaluationStatus.COMPLETED,
            created_at=BEGAN,
            episodes=len(episodes),
            checkpoint_step=step,
            summary=summarize(results, None),
        )
    )
    if video:
        folder.video_path(evaluation_id).write_bytes(b"a video")
    return evaluation_id


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    place = tmp_path_factory.mktemp("episodes")
    root = place / "runs"
    first = make_run(root, FIRST, rows=10, status="completed")
    evaluated(first, 1_000, [(20.0, 20, True), (35.0, 35, True)])
    evaluated(first, 2_000, [(500.0, 500, False), (90.0, 250, True)], video=True)
    evaluated(make_run(root, OTHER, rows=10, status="completed"), 3_000, [(60.0, 300, True)])
    make_run(root, EMPTY, rows=10, status="completed")
    with serving(place) as service:
        yield service


def found(service: Service, **query: object) -> list[tuple[str, int, float]]:
    answer = service.get("/episodes", params={"runs": FIRST, **query})
    return [(each["run_id"], each["checkpoint_step"], each["result"]["episode_return"]) for each in answer["episodes"]]


def test_episodes_are_found_over_all_evaluations_of_several_runs_worst_first(runs: Service) -> None:
    assert found(runs, runs=f"{FIRST},{OTHER}", where="return < 100 and length > 200") == [
        (OTHER, 3_000, 60.0),
        (FIRST, 2_000, 90.0),
    ]


def test_what_was_searched_and_found_is_counted_though_few_are_answered(runs: Service) -> None:
    answer = runs.get("/episodes", params={"runs": f"{FIRST},{OTHER}", "where": "terminated", "limit": 1})
    assert (answer["evaluations"], answer["searched"], answer["found"], len(answer["episodes"])) == (3, 5, 4, 1)
    assert answer["where"] == "terminated"


def test_episodes_are_sorted_by_what_is_asked_for(runs: Service) -> None:
    assert [episode[2] for episode in found(runs, sort="-return")] == [500.0, 90.0, 35.0, 20.0]
    assert [episode[1] for episode in found(runs, sort="-step")] == [2_000, 2_000, 1_000, 1_000]
    assert [episode[2] for episode in found(runs, sort="length")] == [20.0, 35.0, 90.0, 500.0]


def test_only_episodes_whose_video_is_kept_have_one(runs: Service) -> None:
    assert found(runs, where="video") == [(FIRST, 2_000, 90.0), (FIRST, 2_000, 500.0)]
    assert found(runs, where="not video") == [(FIRST, 1_000, 20.0), (FIRST, 1_000, 35.0)]


def test_a_run_without_evaluations_has_no_episodes(runs: Service) -> None:
    answer = runs.get("/episodes", params={"runs": EMPTY})
    assert (answer["evaluations"], answer["searched"], answer["episodes"]) == (0, 0, [])


def test_a_wrong_search_is_told_where(runs: Service) -> None:
    answer = runs.api("GET", "/episodes", params={"runs": FIRST, "where": "retrun < 100"})
    problem = assert_problem(answer, 422)
    assert "At character 1" in problem["detail"]
    assert "'return'" in problem["detail"]
    assert_problem(runs.api("GET", "/episodes", params={"runs": "no-such-run"}), 404)
    assert_problem(runs.api("GET", "/episodes", params={"runs": ""}), 422)
