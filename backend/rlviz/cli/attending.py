"""Follow new runs until they start or end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rlviz.cli.delivering import explain_deliveries, wait_for_deliveries
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.output import note, print_json, say
from rlviz.cli.waiting import (
    AT_REST,
    note_run_continues,
    print_outcome,
    wait_until_started,
    wait_while_it_trains,
)

if TYPE_CHECKING:
    from rlviz.cli.connection import Connection

Follow = Annotated[bool, typer.Option("--follow", "-f", help="Follow it until it ends.")]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until it ends; exit status 1 if it failed.")]


def attend(connection: Connection, run: dict[str, Any], follow: bool, wait: bool, as_json: bool) -> None:
    """Wait for a run to start, or follow it to its end, as the flags say. Raises Failure if it failed."""
    if follow and not as_json:
        from rlviz.cli.follow import follow_run

        follow_run(connection, run["id"])
        return
    run = _wait_as_requested(connection, run, wait or follow)
    if as_json:
        print_json(run)
    _report_run(connection, run, quiet=as_json)


def attend_group(connection: Connection, group: dict[str, Any], wait: bool, as_json: bool) -> None:
    """Wait for all runs of a group, as the flags say. Raises Failure at the end if one failed."""
    runs = [_wait_as_requested(connection, run, wait) for run in group["runs"]]
    if as_json:
        print_json({**group, "runs": runs})
    failures = []
    for run in runs:
        try:
            _report_run(connection, run, quiet=as_json)
        except Failure as failure:
            failures.append(str(failure))
    if failures:
        raise Failure(Exit.FAILED, "\n".join(failures))


def _wait_as_requested(connection: Connection, run: dict[str, Any], wait: bool) -> dict[str, Any]:
    if wait:
        try:
            return wait_while_it_trains(connection, run["id"], f"Training {run['id']}")
        except KeyboardInterrupt:
            note_run_continues(run["id"])
            raise
    return wait_until_started(connection, run["id"]) if connection.is_own else run


def _report_run(connection: Connection, run: dict[str, Any], *, quiet: bool) -> None:
    run_id = run["id"]
    if run["status"] == "created":
        if not quiet:
            say(run_id)
            note(f"It has not been started. To start it: `rlviz start {run_id}`")
    elif run["status"] in AT_REST:
        wait_for_deliveries(connection, [run_id])
        print_outcome(run, quiet=quiet)
    elif not quiet:
        say(run_id)
        note(f"It trains in a separate process. To follow it: `rlviz status {run_id} --follow`")
        explain_deliveries(connection, run_id)
