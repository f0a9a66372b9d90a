"""The command ``report``: write the story of a run as one HTML file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import RunName, WrittenAsJson, connected, examples, find_run
from rlviz.cli.output import answer_bytes, note, progress, waiting
from rlviz.cli.waiting import POLL_SECONDS
from rlviz.domain.export_formats import ReportFormat

if TYPE_CHECKING:
    from rlviz.cli.connection import Connection

STDOUT = Path("-")


def register(app: typer.Typer) -> None:
    app.command(
        epilog=examples(
            "rlviz report last",
            "rlviz report last --output story.html",
            "rlviz report last --no-film --output - > story.html",
        )
    )(report)


def report(
    context: typer.Context,
    run: RunName,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write or replace; `-` prints it. Links are followed; devices and pipes work too.",
            show_default="the run's id with .html",
        ),
    ] = None,
    film: Annotated[bool, typer.Option("--film/--no-film", help="Include videos of the policies.")] = True,
    wait: Annotated[
        bool,
        typer.Option(
            "--wait/--no-wait", help="First film the policies that have no video yet, or use only existing videos."
        ),
    ] = True,
    as_json: WrittenAsJson = False,
) -> None:
    """Write a run as one HTML file to send to others. It opens in any browser, also without a network.

    The file has the curve with a film of the policies, the verdict, settings, events, hints, other seeds, and how to
    repeat the run. It has at most 10 MB; a film that needs more shows fewer moments.
    """
    from rlviz.cli import files

    if as_json and output == STDOUT:
        raise Failure(Exit.BAD_INPUT, "--json reports what was written and needs a file. Leave out `--output -`.")
    if output is not None and output != STDOUT:
        files.check_target(ReportFormat.HTML, output, terminal=False)
    with connected(context) as connection:
        run_id = find_run(connection, run)
        if film and wait:
            _film(connection, run_id)
        with waiting("Writing the report"):
            query = {"film": film}
            content = connection.request("GET", f"/runs/{run_id}/report", params=query).content
    if output == STDOUT:
        answer_bytes().write(content)
        return
    target = output or Path(f"{run_id}.{ReportFormat.HTML.extension}")
    files.replace_file(target, lambda file: file.write(content))
    files.say_written(target, as_json)


def _film(connection: Connection, run_id: str) -> None:
    """Film the policies that the report shows, and wait until all are filmed."""
    path = f"/runs/{run_id}/report/film"
    state: dict[str, Any] = connection.post(path)
    with progress("Filming the policies", state["moments"]) as advance:
        while state["waiting"]:
            advance(state["moments"] - state["waiting"], None)
            time.sleep(POLL_SECONDS)
            state = connection.get(path)
    if state["cause"] is not None:
        note(f"Not all of its policies are filmed. {state['cause']}")
