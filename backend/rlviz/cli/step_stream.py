"""The steps of a run's evaluations and of what it records while it trains, as they come."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rlviz.cli.output import note, number, say
from rlviz.cli.waiting import AT_REST, POLL_SECONDS
from rlviz.domain.plain_text import json_text

if TYPE_CHECKING:
    from rlviz.cli.connection import Connection

_SHOWN = ("episode", "index", "action", "reward", "terminated", "truncated")


def stream_steps(connection: Connection, run_id: str, *, columns: str | None, as_json: bool, **query: Any) -> None:
    """Print every step of the newest evaluation, or recording, of a run and of each that comes, a line each, until the
    run is at rest and none is under way. ``query``: as of ``…/export``."""
    names = [name.strip() for name in columns.split(",")] if columns else list(_SHOWN)
    for evaluation in _as_they_come(connection, run_id):
        path = f"{_path(run_id)}/{evaluation['id']}/export"
        note(f"{evaluation['id']}: {_about(evaluation)}")
        with connection.lines(path, format="ndjson", **query) as lines:
            for line in lines:
                say(_json(line, evaluation["id"]) if as_json else _text(json.loads(line), names))
        sys.stdout.flush()


def _as_they_come(connection: Connection, run_id: str) -> Iterator[dict[str, Any]]:
    seen: set[str] | None = None
    while True:
        at_rest = connection.get(f"/runs/{run_id}")["status"] in AT_REST
        every = [one for by_run in (False, True) for one in connection.get(_path(run_id), by_run=by_run)]
        found = sorted(every, key=lambda one: (one["created_at"], one["id"]))
        there = [one for one in found if one["status"] == "completed" and one["has_steps"]]
        if seen is None:
            seen = {one["id"] for one in there[:-1]}
        for one in there:
            if one["id"] not in seen:
                seen.add(one["id"])
                yield one
        if at_rest and not any(one["status"] in ("queued", "running") for one in found):
            return
        time.sleep(POLL_SECONDS)


def _path(run_id: str) -> str:
    return f"/runs/{run_id}/evaluations"


def _about(evaluation: dict[str, Any]) -> str:
    step = evaluation["checkpoint_step"]
    mean = ((evaluation["summary"] or {}).get("episode_return") or {}).get("mean")
    return f"{'no policy' if step is None else f'policy of step {step}'}, return {number(mean)}"


def _json(line: str, evaluation_id: str) -> str:
    return json_text({"evaluation": evaluation_id, **json.loads(line)})


def _text(step: dict[str, Any], names: Sequence[str]) -> str:
    return "  ".join(f"{name} {_value(step[name])}" for name in names if _tells(step.get(name)))


def _tells(value: Any) -> bool:
    """Whether there is something to say of it: no action has led to the first state of an episode."""
    return value is not None and value is not False


def _value(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(_value, value))
    return number(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value).lower()
