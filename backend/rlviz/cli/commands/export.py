"""A run's data in a file for other programs: export."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rlviz.cli.options import RunName, connected, examples, find_run
from rlviz.cli.output import is_terminal, note, size, waiting


class What(StrEnum):
    METRICS = "metrics"
    CONFIG = "config"


class Format(StrEnum):
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


def register(app: typer.Typer) -> None:
    app.command(
        epilog=examples(
            "rlviz export last --output metrics.csv",
            "rlviz export last --format parquet --output curves.parquet",
            "rlviz export last --what config --format json | jq .hyperparameters",
        )
    )(export)


def export(
    context: typer.Context,
    run: RunName,
    what: Annotated[What, typer.Option(help="Every row of its metrics, or its configuration.")] = What.METRICS,
    format_: Annotated[
        Format | None, typer.Option("--format", help="Of the file.", show_default="by the end of its name, or csv")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write, or to replace.", show_default="printed"),
    ] = None,
) -> None:
    """Write a run's metrics, or its configuration, as CSV, JSON or Parquet.

    Metrics have the columns seq, time (Unix seconds), step, and one for each metric; a value that was not logged
    in a row, or was not finite, is empty. What a rollback left behind is in it too: every row of the journal is.
    """
    from rlviz.cli import tables

    chosen = tables.format_for(format_, output)
    tables.check_target(chosen, output, is_terminal())
    with connected(context) as connection:
        run_id = find_run(connection, run)
        with waiting(f"Exporting {run_id}"):
            if what is What.CONFIG:
                table = tables.of_config(connection.get(f"/runs/{run_id}/config"))
            else:
                with connection.lines(f"/runs/{run_id}/artifacts/metrics.jsonl") as lines:
                    table = tables.of_metrics(lines)
    if output is None:
        tables.write(table, chosen, sys.stdout.buffer)
        return
    tables.write_file(table, chosen, output)
    note(f"{output}: {len(table.rows)} rows, {size(output.stat().st_size)}")
