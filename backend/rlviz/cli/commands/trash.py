"""Commands on deleted runs: trash list, empty. ``rlviz restore`` restores a run."""

from __future__ import annotations

from typing import Annotated

import typer

from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, Yes, ask_first, connected, examples
from rlviz.cli.output import counted, print_json, print_table, say
from rlviz.domain.byte_text import byte_text


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Deleted runs, which you can restore for some days.", no_args_is_help=True)
    group.command("list", epilog=examples("rlviz trash list", "rlviz trash list --json"))(list_)
    group.command(epilog=examples("rlviz trash empty", "rlviz trash empty ppo-cartpole-20261121-044130-3630 --yes"))(
        empty
    )
    app.add_typer(group, name="trash")


def list_(context: typer.Context, as_json: AsJson = False) -> None:
    """List the deleted runs, and until when you can restore them."""
    with connected(context) as connection:
        trash = connection.get("/trash")
    if as_json:
        print_json(trash)
    elif not trash["runs"]:
        say("The trash is empty.")
    else:
        rows = [
            (run["id"], byte_text(run["size_bytes"]), run["removed_at"][:10], run["env_id"] or "–", run["name"])
            for run in trash["runs"]
        ]
        print_table(("RUN", "SIZE", "KEPT UNTIL", "ENVIRONMENT", "NAME"), rows, keep=2)


def empty(
    context: typer.Context,
    runs: Annotated[
        list[str] | None, typer.Argument(metavar="RUN", help="Ids of runs in the trash; default: all.")
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Remove deleted runs for good."""
    with connected(context) as connection:
        there = {run["id"]: run["size_bytes"] for run in connection.get("/trash")["runs"]}
        if unknown := next((run for run in runs or () if run not in there), None):
            raise Failure(Exit.NOT_FOUND, f"{unknown[:80]} is not in the trash. `rlviz trash list` lists its runs.")
        going = list(dict.fromkeys(runs or there))
        if going:
            room = sum(there[run_id] for run_id in going)
            ask_first(f"Remove {counted(len(going), 'deleted run')} for good, {byte_text(room)}?", yes)
        for run_id in going:
            connection.request("DELETE", f"/trash/{run_id}")
    if as_json:
        print_json({"removed": going})
    else:
        say(f"Removed {counted(len(going), 'run')}, {byte_text(room)}." if going else "The trash is empty.")
