"""Other programs that a run is delivered to as it trains: sinks available, list, add, remove."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rlviz.cli.options import AsJson, RunName, connected, examples, find_run
from rlviz.cli.output import note, print_json, print_table, say
from rlviz.domain.byte_text import byte_text
from rlviz.domain.sinks import SinkKind

Kind = Annotated[SinkKind, typer.Argument(metavar="SINK", help="Where.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Other programs that a run is delivered to as it trains.", no_args_is_help=True)
    group.command(epilog=examples("rlviz sinks available"))(available)
    group.command("list", epilog=examples("rlviz sinks list last"))(list_)
    group.command(epilog=examples("rlviz sinks add last mlflow"))(add)
    group.command(epilog=examples("rlviz sinks remove last mlflow"))(remove)
    app.add_typer(group, name="sinks")


def available(context: typer.Context, as_json: AsJson = False) -> None:
    """List the programs that runs can be delivered to, and where they would go."""
    with connected(context) as connection:
        found = connection.get("/sinks")
    if as_json:
        print_json(found)
    else:
        rows = [(one["kind"], one["place"] if one["install"] is None else one["install"]) for one in found]
        print_table(("SINK", "PLACE, OR WHAT INSTALLS IT"), rows, keep=2)


def list_(context: typer.Context, run: RunName, as_json: AsJson = False) -> None:
    """List where a run is delivered to, and how far each is."""
    with connected(context) as connection:
        found = connection.get(f"/runs/{find_run(connection, run)}/sinks")
    _show(found, as_json)


def add(context: typer.Context, run: RunName, kind: Kind, as_json: AsJson = False) -> None:
    """Deliver a run there from now on, with what it has logged so far."""
    _change(context, "PUT", run, kind, as_json)


def remove(context: typer.Context, run: RunName, kind: Kind, as_json: AsJson = False) -> None:
    """Deliver it there no more; what is there stays."""
    _change(context, "DELETE", run, kind, as_json)


def _change(context: typer.Context, method: str, run: str, kind: SinkKind, as_json: bool) -> None:
    with connected(context) as connection:
        path = f"/runs/{find_run(connection, run)}/sinks"
        connection.request(method, f"{path}/{kind.value}")
        found = connection.get(path)
        if connection.is_own and method == "PUT":
            note("No service runs that would deliver it by itself. `rlviz sync` delivers what waits.")
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
        say("It is delivered nowhere.")
        return
    print_table(("SINK", "STATE", "ROWS", "WAITING", "PLACE"), rows, keep=2)
    for one in found["sinks"]:
        if one["problem"]:
            note(f"{one['label']}: {one['problem']}")
