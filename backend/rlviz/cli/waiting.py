"""Wait for a run, an evaluation or a verification to end."""

from __future__ import annotations

import time
from typing import Any

from rlviz.cli.connection import Connection
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.output import note, number, progress, say, steps_text, waiting

ENDED = frozenset({"completed", "stopped", "failed", "interrupted"})
AT_REST = ENDED | {"paused", "created"}
UNDER_WAY = frozenset({"running", "pausing", "stopping"})
POLL_SECONDS = 0.2
LONGEST_POLL_SECONDS = 1.0
"""Seconds between two requests during a long run: each costs the service some milliseconds that training could use."""


def wait_for_run(connection: Connection, run_id: str, statuses: frozenset[str], what: str) -> dict[str, Any]:
    """Wait until the run has one of ``statuses``; return it. Raises Failure if it is deleted."""
    with waiting(what):
        while True:
            run: dict[str, Any] = connection.get(f"/runs/{run_id}")
            if run["status"] in statuses:
                return run
            time.sleep(POLL_SECONDS)


def wait_while_it_trains(
    connection: Connection, run_id: str, what: str, statuses: frozenset[str] = AT_REST
) -> dict[str, Any]:
    """Wait like ``wait_for_run``, with a progress bar of its steps."""
    pause = POLL_SECONDS
    with progress(what) as advance:
        while True:
            run: dict[str, Any] = connection.get(f"/runs/{run_id}")
            if run["status"] in statuses:
                return run
            advance(run["step"], run["end_step"] or None)
            time.sleep(pause)
            pause = min(pause * 1.02, LONGEST_POLL_SECONDS)


def wait_until_started(connection: Connection, run_id: str) -> dict[str, Any]:
    """Wait until a separate worker trains the run, which then continues without this command.

    A worker thread of our own service would end with this command, so then it waits for the run's end.
    """
    goes_on = AT_REST if connection.settings.launcher == "thread" else AT_REST | UNDER_WAY
    run: dict[str, Any] = connection.get(f"/runs/{run_id}")
    if run["status"] == "queued" and run["queue_position"]:
        note(f"{run_id} is queued at position {run['queue_position']}. Ctrl-C leaves it in the queue.")
    return wait_for_run(connection, run_id, goes_on, f"Starting {run_id}")


def wait_for_evaluation(connection: Connection, run_id: str, evaluation_id: str) -> dict[str, Any]:
    """Wait until the evaluation is complete, with a progress bar; return it. Raises Failure if it failed."""
    evaluation = _find(connection, run_id, evaluation_id)
    with progress("Playing", evaluation["episodes"]) as advance:
        while evaluation["status"] in ("queued", "running"):
            advance(evaluation["episodes_done"], None)
            time.sleep(POLL_SECONDS)
            evaluation = _find(connection, run_id, evaluation_id)
    if evaluation["status"] == "failed":
        raise Failure(Exit.FAILED, f"The evaluation failed: {evaluation['cause']}")
    return evaluation


def wait_for_verification(connection: Connection, path: str, what: str, *, begin: str | None = None) -> dict[str, Any]:
    """Start the verification at ``path``, or by a POST to ``begin``, and return it after it has ended."""
    verification: dict[str, Any] = connection.post(begin or path)
    with waiting(what):
        while verification["status"] == "running":
            time.sleep(POLL_SECONDS)
            verification = connection.get(path)
    return verification


def _find(connection: Connection, run_id: str, evaluation_id: str) -> dict[str, Any]:
    for evaluation in connection.get(f"/runs/{run_id}/evaluations"):
        if evaluation["id"] == evaluation_id:
            return dict(evaluation)
    raise Failure(Exit.NOT_FOUND, f"The evaluation {evaluation_id} of {run_id} was deleted.")


def note_run_continues(run_id: str) -> None:
    note(f"{run_id} continues without this command. To follow it: `rlviz status {run_id} --follow`")


def print_outcome(run: dict[str, Any], *, quiet: bool = False) -> None:
    """Print how a run ended, unless ``quiet``.

    Raises Failure, with the cause, if it failed, was interrupted, or was ended by a rule that saves nothing.
    """
    figures = f"step {steps_text(run, ' of ')}, return {number(run['ep_rew_mean'])}"
    if not quiet:
        say(f"{run['id']} {run['status']} ({figures})")
    if run["status"] in ("failed", "interrupted") or (run["status"] == "stopped" and run["ended_early"] is not None):
        raise Failure(Exit.FAILED, f"{run['id']} {run['status']}: {run['cause']} `rlviz logs {run['id']}` has more.")
