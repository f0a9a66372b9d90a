"""Commands on the queue: the runs that wait for a free place, in the order in which they start."""

from __future__ import annotations

from typing import Annotated

import typer

from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, RunName, connected, examples, find_run
from rlviz.cli.output import print_json, print_table, say

MOVES = ("first", "up", "down", "last")
MOST_SHOWN = 500


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        help="Show the queued runs in the order in which they start, or move one.", invoke_without_command=True
    )
    group.callback(epilog=examples("rlviz queue", "rlviz queue --json"))(_show_by_default)
    group.command(
        epilog=examples("rlviz queue move last first", "rlviz queue move ppo-cart --before dqn-cart"),
    )(move)
    app.add_typer(group, name="queue")


def _show_by_default(context: typer.Context, as_json: AsJson = False) -> None:
    if context.invoked_subcommand is not None:
        return
    with connected(context) as connection:
        found = connection.get("/runs", status="queued", sort="queued_at", limit=MOST_SHOWN)
    if as_json:
        print_json(found["runs"])
        return
    if not found["runs"]:
        say("No run waits.")
        return
    rows = [(str(run["queue_position"]), run["id"], run["name"], run["cause"] or "") for run in found["runs"]]
    print_table(("PLACE", "RUN", "NAME", "WAITS FOR"), rows, keep=2)


def move(
    context: typer.Context,
    run: RunName,
    to: Annotated[str | None, typer.Argument(metavar="[first|up|down|last]", help="Where it goes.")] = None,
    before: Annotated[str | None, typer.Option(metavar="RUN", help="Put it before this queued run.")] = None,
    as_json: AsJson = False,
) -> None:
    """Move a queued run to another place in the queue."""
    if (to is None) == (before is None) or (to is not None and to not in MOVES):
        raise Failure(Exit.BAD_INPUT, f"Give the new place: {', '.join(MOVES)}, or --before RUN.")
    with connected(context) as connection:
        place = {"to": to} if before is None else {"before": find_run(connection, before)}
        moved = connection.post(f"/runs/{find_run(connection, run)}/queue", place)
    if as_json:
        print_json(moved)
    else:
        say(f"{moved['id']} is number {moved['queue_position']} in the queue.")
