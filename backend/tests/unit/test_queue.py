"""Moving a run in the queue keeps the order of the others."""

from __future__ import annotations

import random

from rlviz.server.runs.queue import Place, times_after_move


def order(times: dict[str, float]) -> list[str]:
    return sorted(times, key=lambda run_id: (times[run_id], run_id))


def moved(times: dict[str, float], run_id: str, place: Place) -> list[str]:
    queue = [(one, times[one]) for one in order(times)]
    times.update(times_after_move(queue, run_id, place))
    return order(times)


def test_a_run_moves_up_down_to_the_first_or_last_position_and_before_another() -> None:
    times = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}
    assert moved(times, "c", Place("up")) == ["a", "c", "b", "d"]
    assert moved(times, "a", Place("down")) == ["c", "a", "b", "d"]
    assert moved(times, "d", Place("first")) == ["d", "c", "a", "b"]
    assert moved(times, "d", Place("last")) == ["c", "a", "b", "d"]
    assert moved(times, "d", Place(before="a")) == ["c", "d", "a", "b"]


def test_a_move_without_effect_writes_nothing() -> None:
    queue = [("a", 1.0), ("b", 2.0)]
    for run_id, place in (("a", Place("first")), ("a", Place("up")), ("b", Place("down")), ("b", Place("last"))):
        assert times_after_move(queue, run_id, place) == {}
    assert times_after_move(queue, "a", Place(before="a")) == {}
    assert times_after_move(queue, "a", Place(before="b")) == {}


def test_an_ordinary_move_changes_the_time_of_one_run() -> None:
    queue = [(f"run-{number:03}", float(number)) for number in range(500)]
    assert times_after_move(queue, "run-300", Place(before="run-100")).keys() == {"run-300"}


def test_moves_keep_the_order_of_other_runs_including_those_queued_simultaneously() -> None:
    draw = random.Random(3)
    times = {f"run-{number}": float(number // 4) + 1.7e9 for number in range(16)}
    expected = order(times)
    for _ in range(400):
        run_id = draw.choice(expected)
        old = expected.index(run_id)
        others = [one for one in expected if one != run_id]
        target = draw.choice([*others, "first", "last", "up", "down"])
        places = {"first": 0, "last": len(others), "up": max(0, old - 1), "down": min(len(others), old + 1)}
        new = places[target] if target in places else others.index(target)
        expected = [*others[:new], run_id, *others[new:]]
        place = Place(target) if target in places else Place(before=target)  # type: ignore[arg-type]
        assert moved(times, run_id, place) == expected
