"""Commands on sinks, the programs that receive a run's data: sinks available, list, add, remove."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rlviz.cli.options import AsJson, RunName, connected, examples, find_run
from rlviz.cli.output import note, print_json, print_table, say
from rlviz.domain.byte_text import byte_text
from rlviz.domain.sinks import SinkKind

Kind = Annotated[SinkKind, typer.Argument(metavar="SINK", help="Where.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Programs that receive a run's data while it trains.", no_args_is_help=True)
    group.command(epilog=examples("rlviz sinks available"))(available)
    group.command("list", epilog=examples("rlviz sinks list last"))(list_)
    group.command(epilog=examples("rlviz sinks add last mlflow"))(add)
    group.command(epilog=examples("rlviz sinks remove last mlflow"))(remove)
    app.add_typer(group, name="sinks")


def available(context: typer.Context, as_json: AsJson = False) -> None:
    """List the programs that can receive data of runs, and where the data would go."""
    with connected(context) as connection:
        found = connection.get("/sinks")
    if as_json:
        print_json(found)
    else:
        rows = [(one["kind"], one["place"] if one["install"] is None else one["install"]) for one in found]
        print_table(("SINK", "PLACE, OR HOW TO INSTALL"), rows, keep=2)


def list_(context: typer.Context, run: RunName, as_json: AsJson = False) -> None:
    """List the sinks of a run, and how much each has received."""
    with connected(context) as connection:
        found = connection.get(f"/runs/{find_run(connection, run)}/sinks")
    _show(found, as_json)


def add(context: typer.Context, run: RunName, kind: Kind, as_json: AsJson = False) -> None:
    """Send a run's data to a sink from now on, including the data logged so far."""
    _change(context, "PUT", run, kind, as_json)


def remove(context: typer.Context, run: RunName, kind: Kind, as_json: AsJson = False) -> None:
    """Stop sending a run's data to a sink. Data that is already there stays."""
    _change(context, "DELETE", run, kind, as_json)


def _change(context: typer.Context, method: str, run: str, kind: SinkKind, as_json: bool) -> None:
    with connected(context) as connection:
        path = f"/runs/{find_run(connection, run)}/sinks"
        connection.request(method, f"{path}/{kind.value}")
        found = connection.get(path)
        if connection.is_own and method == "PUT":
            note("No service is running to send it automatically. `rlviz sync` sends it now.")
    _show(found, as_json)


def _show(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    rows = [
        (one["kind"], one["state"], str(one["rows"]), byte_text(one["waiting_bytes"]), one["place"] or "–")
        for one in found["sinks"]
    ]
    if not rows:
        say("It has no sinks.")
        return
    print_table(("SINK", "STATE", "ROWS", "WAITING", "PLACE"), rows, keep=2)
    for one in found["sinks"]:
        if one["problem"]:
            note(f"{one['label']}: {one['problem']}")
