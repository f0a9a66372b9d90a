"""What is asked of a run that is there: stop, pause, delete, restore."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rlviz.cli.options import AsJson, RunName, RunNames, connected, examples, find_run
from rlviz.cli.output import print_json, say
from rlviz.cli.waiting import AT_REST, wait_for_run

Wait = Annotated[bool, typer.Option("--wait/--no-wait", help="Return when it has come to rest.")]


def register(app: typer.Typer) -> None:
    app.command(epilog=examples("rlviz stop last", "rlviz stop ppo-cartpole-20261121-044130-3630 --no-wait"))(stop)
    app.command(epilog=examples("rlviz pause last"))(pause)
    app.command(epilog=examples("rlviz delete last", "rlviz delete ppo-cart dqn-cart"))(delete)
    app.command(epilog=examples("rlviz restore ppo-cartpole-20261121-044130-3630"))(restore)


def stop(context: typer.Context, run: RunName, wait: Wait = True, as_json: AsJson = False) -> None:
    """Stop a run; its policy and a snapshot are saved."""
    _ask(context, run, "stop", wait, as_json)


def pause(context: typer.Context, run: RunName, wait: Wait = True, as_json: AsJson = False) -> None:
    """Pause a run; `rlviz resume` goes on exactly as if nothing had happened."""
    _ask(context, run, "pause", wait, as_json)


def delete(context: typer.Context, runs: RunNames, as_json: AsJson = False) -> None:
    """Move runs to the trash, from where `rlviz restore` brings them back for some days."""
    with connected(context) as connection:
        run_ids = [find_run(connection, run) for run in runs]
        for run_id in run_ids:
            connection.request("DELETE", f"/runs/{run_id}")
            if not as_json:
                say(f"{run_id} is in the trash. `rlviz restore {run_id}` brings it back.")
    if as_json:
        print_json({"deleted": run_ids})


def restore(
    context: typer.Context,
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of a run in the trash.")],
    as_json: AsJson = False,
) -> None:
    """Bring a deleted run back from the trash."""
    with connected(context) as connection:
        restored = connection.post(f"/runs/{run}/restore")
    _tell(restored, as_json)


def _ask(context: typer.Context, run: str, what: str, wait: bool, as_json: bool) -> None:
    with connected(context) as connection:
        run_id = find_run(connection, run)
        asked: dict[str, Any] = connection.post(f"/runs/{run_id}/{what}")
        if wait:
            asked = wait_for_run(connection, run_id, AT_REST, f"Waiting for {run_id} to {what}")
    _tell(asked, as_json)


def _tell(run: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(run)
    else:
        say(f"{run['id']} {run['status']} at step {run['step']}")
