"""Pages that a terminal cannot show: watch, replay, play."""

from __future__ import annotations

import time
from typing import Annotated
from urllib.parse import urlencode

import typer

from rlviz.cli.completion import complete_environment, complete_run
from rlviz.cli.options import AsJson, RunName, connected, examples, find_run
from rlviz.cli.output import note, print_json, say

Open = Annotated[bool, typer.Option("--open/--no-open", help="Open it in the browser, or print its address alone.")]


def register(app: typer.Typer) -> None:
    app.command(epilog=examples("rlviz watch last", "rlviz watch last --no-open"))(watch)
    app.command(epilog=examples("rlviz replay last"))(replay)
    app.command(epilog=examples("rlviz play --env LunarLander-v3", "rlviz play last"))(play)


def watch(context: typer.Context, run: RunName, opens: Open = True, as_json: AsJson = False) -> None:
    """Open the page of a run, where its newest policy plays live."""
    _open(context, "/runs/view", "id", run, opens, as_json)


def replay(context: typer.Context, run: RunName, opens: Open = True, as_json: AsJson = False) -> None:
    """Open the page of a run, where its evaluations are played back step by step."""
    _open(context, "/runs/view", "id", run, opens, as_json)


def play(
    context: typer.Context,
    run: Annotated[
        str | None,
        typer.Argument(metavar="[RUN]", help="Take turns with this run's policy.", autocompletion=complete_run),
    ] = None,
    env: Annotated[str | None, typer.Option(help="Play this environment.", autocompletion=complete_environment)] = None,
    opens: Open = True,
    as_json: AsJson = False,
) -> None:
    """Open the page on which an environment is played by keyboard."""
    if run is None:
        _open(context, "/play", "env", None, opens, as_json, env)
    else:
        _open(context, "/play", "run", run, opens, as_json)


def _open(
    context: typer.Context,
    page: str,
    parameter: str,
    run: str | None,
    opens: bool,
    as_json: bool,
    value: str | None = None,
) -> None:
    """Show a page; without a service of its own this command serves it until Ctrl-C."""
    with connected(context) as connection:
        value = find_run(connection, run) if run is not None else value
        address = connection.url + page + (f"?{urlencode({parameter: value})}" if value else "")
        if as_json:
            print_json({"url": address})
        else:
            say(address)
        if opens:
            import webbrowser

            if not webbrowser.open(address):
                note("No browser could be opened; open the address yourself.")
        if connection.is_own and not as_json:
            note("It is served until Ctrl-C. `rlviz serve` serves it for good.")
            while True:
                time.sleep(1)
