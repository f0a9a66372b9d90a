"""Lists of runs: filters, search, sorting and pagination."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from rlviz.domain.errors import IllegalTransition, InvalidRequest, RunNotFound, UnknownName
from rlviz.domain.status import RunStatus
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import (
    SORTS,
    RunList,
    RunQuery,
    find_groups,
    get_run,
    list_runs,
    move_run,
    queue_positions,
    runs_with_status,
    tag_counts,
)
from tests.support.cases import cases


def add(database: Database, *runs: dict[str, Any]) -> None:
    """Add runs; each is created one second after the previous one."""
    with database.write() as session:
        for number, changes in enumerate(runs):
            plain = {"name": "n", "algo": "ppo", "env_id": "CartPole-v1", "seed": 1, "total_timesteps": 100, "tags": []}
            session.add(RunRow(**{"id": f"run-{number}", "created_at": 1_000.0 + number, **plain, **changes}))


def find(database: Database, **query: Any) -> RunList:
    with database.read() as session:
        return list_runs(session, RunQuery(**query))


def ids(database: Database, **query: Any) -> list[str]:
    found = find(database, **query)
    assert found.total == len(found.runs)
    return [run.id.removeprefix("run-") for run in found.runs]


def pages(database: Database, **query: Any) -> list[list[str]]:
    """Return all pages of a list as run numbers."""
    found, cursor = [], None
    while True:
        page = find(database, cursor=cursor, **query)
        found.append([run.id.removeprefix("run-") for run in page.runs])
        cursor = page.next_cursor
        if cursor is None:
            return found


def test_the_newest_run_comes_first(database: Database) -> None:
    add(database, {}, {}, {})
    assert ids(database) == ["2", "1", "0"]


def test_filters_narrow_the_list_together(database: Database) -> None:
    add(
        database,
        {"algo": "dqn", "status": "running"},
        {"algo": "ppo", "status": "running", "env_id": "Acrobot-v1"},
        {"algo": "ppo", "status": "completed"},
        {"algo": "ppo", "status": "failed"},
    )
    assert ids(database, algo=["ppo"]) == ["3", "2", "1"]
    assert ids(database, env_id=["Acrobot-v1"]) == ["1"]
    assert ids(database, status=["running", "failed"]) == ["3", "1", "0"]
    assert ids(database, status=["running"], algo=["dqn"]) == ["0"]
    assert ids(database, status=["running"], algo=["ppo"], env_id=["CartPole-v1"]) == []


def test_runs_with_any_of_several_tags_are_found_and_the_tags_are_counted(database: Database) -> None:
    add(database, {"tags": ["good", "b"]}, {"tags": ["Good"]}, {"tags": []}, {"tags": ["b", "a %_'"]})
    assert ids(database, tag=["b"]) == ["3", "0"]
    assert ids(database, tag=["Good", "a %_'"]) == ["3", "1"]
    assert ids(database, tag=["goo"]) == []
    with database.read() as session:
        assert tag_counts(session) == [("a %_'", 1), ("b", 2), ("Good", 1), ("good", 1)]


def test_search_covers_name_id_environment_notes_and_tags_and_ignores_case(database: Database) -> None:
    add(
        database,
        {"name": "Baseline needle"},
        {"id": "run-needle-1"},
        {"env_id": "Needle-v1"},
        {"notes": "a NEEDLE here"},
        {"tags": ["hay", "needle"]},
        {"name": "hay"},
    )
    assert sorted(ids(database, q="NeEdLe")) == ["0", "2", "3", "4", "needle-1"]


@pytest.mark.parametrize(("q", "found"), [("50%", ["1"]), ("a_b", ["0"]), ("%", ["1"]), ("\\", ["3"]), ("x'; --", [])])
def test_search_takes_wildcards_and_quotes_literally(database: Database, q: str, found: list[str]) -> None:
    add(database, {"name": "a_b"}, {"name": "50% more"}, {"name": "axb 500"}, {"name": "back\\slash"})
    assert ids(database, q=q) == found


@pytest.mark.parametrize("q", ["[", '"', ", "])
def test_search_in_tags_does_not_depend_on_their_storage_format(database: Database, q: str) -> None:
    add(database, {"tags": ["one", "two"]})
    assert ids(database, q=q) == []


def test_search_finds_tags_in_any_script(database: Database) -> None:
    add(database, {"tags": ["größer", "強化"]}, {})
    assert ids(database, q="größer") == ids(database, q="強化") == ["0"]


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("created_at", "0123"),
        ("-created_at", "3210"),
        ("name", "1320"),
        ("-name", "0231"),
        ("ep_rew_mean", "0321"),
        ("-ep_rew_mean", "2301"),
    ],
)
def test_sorting_by_name_ignores_case_and_an_unknown_reward_comes_last(
    database: Database, sort: str, order: str
) -> None:
    add(
        database,
        {"name": "delta", "ep_rew_mean": -500.0},
        {"name": "Alpha", "ep_rew_mean": None},
        {"name": "charlie", "ep_rew_mean": 200.0},
        {"name": "Bravo", "ep_rew_mean": 10.5},
    )
    assert ids(database, sort=sort) == list(order)


def test_runs_are_sorted_by_external_values_and_those_without_come_last(database: Database) -> None:
    add(
        database,
        {"group_id": "run-0", "status": "completed"},
        {"group_id": "run-0"},
        {"group_id": "run-2", "status": "running"},
        {"group_id": "run-3"},
        {"group_id": "run-4"},
    )
    values = {"run-0": 1.0, "run-1": 9.0, "run-3": 2.0, "run-4": 7.0}
    assert ids(database, sort="lr", values=values) == list("03412")
    assert ids(database, sort="-lr", values=values) == list("14302")
    assert ids(database, sort="lr", values=values, grouped=True) == list("3042"), "of a group the mean counts"
    first = find(database, sort="lr", values=values, training_first=True, limit=2)
    assert ([run.id for run in first.runs], first.training, first.total) == (["run-2", "run-0"], 1, 5)
    rest = find(database, sort="lr", values=values, training_first=True, limit=9, offset=2)
    assert [run.id for run in rest.runs] == ["run-3", "run-4", "run-1"]
    with pytest.raises(InvalidRequest, match="Use offset"):
        find(database, sort="lr", values=values, cursor="x")


@pytest.fixture
def ties(database: Database) -> Database:
    """A catalogue of 20 runs in which each value occurs several times."""
    runs = [
        {"name": f"Same {n // 4}", "ep_rew_mean": None if n % 5 == 0 else float(n // 3), "created_at": float(n // 6)}
        for n in range(20)
    ]
    add(database, *runs)
    return database


@cases("sort", [sign + name for name in SORTS for sign in ("", "-")])
def test_pages_join_across_ties_without_gap_or_repetition(ties: Database, sort: str) -> None:
    whole = find(ties, sort=sort, limit=100)
    found = pages(ties, sort=sort, limit=3)
    assert [len(page) for page in found] == [3] * 6 + [2]
    numbers = [number for page in found for number in page]
    assert numbers == [run.id.removeprefix("run-") for run in whole.runs]
    assert len(set(numbers)) == whole.total == 20


def test_the_last_page_is_marked_also_when_it_is_full(database: Database) -> None:
    add(database, *({} for _ in range(4)))
    assert pages(database, limit=2) == [["3", "2"], ["1", "0"]]


def test_a_run_added_between_two_pages_does_not_move_the_second(database: Database) -> None:
    add(database, *({} for _ in range(4)))
    first = find(database, limit=2)
    add(database, {"id": "run-new", "created_at": 9_999.0})
    second = find(database, limit=2, cursor=first.next_cursor)
    assert [run.id for run in second.runs] == ["run-1", "run-0"]


def test_the_total_counts_every_page(database: Database) -> None:
    add(database, *({"algo": "ppo" if n % 2 else "dqn"} for n in range(9)))
    assert find(database, limit=2).total == 9
    assert find(database, limit=2, algo=["dqn"]).total == 5


def encoded(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


def test_an_offset_returns_the_same_page_as_the_cursors(database: Database) -> None:
    add(database, *({} for _ in range(7)))
    walked = pages(database, limit=2)
    jumped = [[run.id[4:] for run in find(database, limit=2, offset=skip).runs] for skip in (0, 2, 4, 6)]
    assert jumped == walked
    assert find(database, limit=2, offset=9).runs == []


@pytest.fixture
def two_runs(database: Database) -> Database:
    add(database, {}, {})
    return database


@cases(
    "cursor",
    [
        "",
        "garbage",
        "ÿ",
        "====",
        encoded("text"),
        encoded(7),
        encoded([]),
        encoded(["-created_at", 1.0]),
        encoded(["-created_at", None, "run-1"]),
        encoded(["-created_at", [1], "run-1"]),
        encoded(["created_at", 1.0, "run-1"]),
        encoded(["-created_at", 10**400, "run-1"]),
        encoded(["-created_at", 10**30, "run-1"]),
        encoded(["-created_at", 1.0, "\ud800"]),
        encoded([[[[]]]] * 3),
        base64.urlsafe_b64encode(b"[" * 100_000).decode(),
        base64.urlsafe_b64encode(b"\xff\xfe").decode(),
    ],
)
def test_a_cursor_of_another_list_is_an_invalid_request(two_runs: Database, cursor: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        find(two_runs, cursor=cursor)
    assert [field.pointer for field in caught.value.fields] == ["/cursor"]


def test_an_unknown_sort_order_is_answered_with_the_nearest_match(database: Database) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'created_at'"):
        find(database, sort="-created")


@cases("run_id", ["run-9", "..", "a/b", "", "RUN-0", "run-0\0"])
def test_a_missing_run_is_not_found(two_runs: Database, run_id: str) -> None:
    with two_runs.read() as session, pytest.raises(RunNotFound):
        get_run(session, run_id)


def test_a_run_changes_status_as_the_table_allows_and_stores_the_changes(database: Database) -> None:
    add(database, {})
    with database.write() as session:
        move_run(session, "run-0", RunStatus.QUEUED, queued_at=5.0)
    with database.write() as session, pytest.raises(IllegalTransition):
        move_run(session, "run-0", RunStatus.COMPLETED, queued_at=6.0)
    with database.read() as session:
        row = get_run(session, "run-0")
    assert (row.state, row.queued_at) == (RunStatus.QUEUED, 5.0)


def test_the_queue_is_first_come_first_served(database: Database) -> None:
    add(
        database,
        {"status": "queued", "queued_at": 30.0},
        {"status": "queued", "queued_at": 10.0},
        {"status": "running", "queued_at": 1.0},
        {"status": "queued", "queued_at": 20.0},
    )
    with database.read() as session:
        assert queue_positions(session) == {"run-1": 1, "run-3": 2, "run-0": 3}
        assert [row.id for row in runs_with_status(session, RunStatus.RUNNING, RunStatus.STOPPING)] == ["run-2"]


def test_only_the_first_matching_run_of_a_group_is_listed(database: Database) -> None:
    groups = ["a", "a", "b", "b", "c"]
    tags = [[], ["x"], [], ["x"], ["x"]]
    add(database, *({"group_id": group, "tags": tag} for group, tag in zip(groups, tags, strict=True)))
    assert ids(database, grouped=True) == ["4", "2", "0"]
    assert ids(database, grouped=True, tag=["x"]) == ["4", "3", "1"]
    assert ids(database, group_id=["a", "c"]) == ["4", "1", "0"]
    with database.read() as session:
        found = find_groups(session, ["a", "b", "c"])
    assert {group: [run.id for run in runs] for group, runs in found.items()} == {
        "a": ["run-0", "run-1"],
        "b": ["run-2", "run-3"],
    }


def test_training_runs_come_first_on_every_page_in_the_requested_order(database: Database) -> None:
    trains = {"status": RunStatus.RUNNING.value}
    add(database, {**trains}, {}, {"status": RunStatus.QUEUED.value}, {"status": RunStatus.PAUSING.value}, {})
    everything = {"training_first": True, "limit": 2}
    found = [[run.id for run in find(database, offset=offset, **everything).runs] for offset in (0, 1, 2, 4)]
    assert found == [["run-3", "run-0"], ["run-0", "run-4"], ["run-4", "run-2"], ["run-1"]]
    assert find(database, **everything).training == 2
    assert [run.id for run in find(database, sort="created_at", training_first=True).runs][:2] == ["run-0", "run-3"]
    with pytest.raises(InvalidRequest, match="offset"):
        find(database, training_first=True, cursor="x")


def test_a_group_comes_first_while_one_of_its_runs_trains(database: Database) -> None:
    add(database, {"group_id": "a"}, {"group_id": "a", "status": RunStatus.RUNNING.value}, {"group_id": "b"})
    assert [run.group_id for run in find(database, grouped=True).runs] == ["b", "a"]
    found = find(database, grouped=True, training_first=True)
    assert [run.group_id for run in found.runs] == ["a", "b"]
    assert (found.training, found.total) == (1, 2)


def test_trials_of_experiments_can_be_excluded_and_are_counted(database: Database) -> None:
    add(database, {}, {"experiment_id": "exp-a"}, {"experiment_id": "exp-a", "algo": "dqn"}, {"algo": "dqn"})
    assert ids(database, without_trials=True) == ["3", "0"]
    assert find(database, without_trials=True).trials == 2
    assert find(database, without_trials=True, algo=["dqn"]).trials == 1
    assert (find(database).trials, find(database).total) == (0, 4)
