"""A run's data for other programs and other machines."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rlviz.cli.delivering import SINKS
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import RunNames, connected, examples, find_run
from rlviz.cli.output import is_terminal, note, size, waiting
from rlviz.domain.sinks import SinkKind


class What(StrEnum):
    METRICS = "metrics"
    CONFIG = "config"


class Format(StrEnum):
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"
    TENSORBOARD = "tensorboard"


def register(app: typer.Typer) -> None:
    app.command(
        epilog=examples(
            "rlviz export last --output metrics.csv",
            "rlviz export last --format parquet --output curves.parquet",
            "rlviz export last --what config --format json | jq .hyperparameters",
            "rlviz export last --format tensorboard --output logs/last",
            "rlviz export last --bundle --output run.zip",
            "rlviz export ppo-cartpole dqn-cartpole --to wandb --to mlflow",
            "rlviz export last --to mlflow --follow",
        )
    )(export)


def export(
    context: typer.Context,
    runs: RunNames,
    what: Annotated[What, typer.Option(help="Every row of its metrics, or its configuration.")] = What.METRICS,
    format_: Annotated[
        Format | None, typer.Option("--format", help="Of the file.", show_default="by the end of its name, or csv")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to write, or to replace; of TensorBoard a folder.", show_default="printed"
        ),
    ] = None,
    bundle: Annotated[
        bool, typer.Option("--bundle", help="The whole run as one file, for `rlviz import` on another machine.")
    ] = False,
    policies: Annotated[bool, typer.Option(help="Of a bundle: with its policies.")] = True,
    snapshots: Annotated[bool, typer.Option(help="Of a bundle: with snapshots, to go on exactly.")] = False,
    to: Annotated[
        list[SinkKind] | None,
        typer.Option(
            "--to", metavar=SINKS, help="Into another program, once however often it is asked; may be repeated."
        ),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="With --to: while they train, until they have ended.")
    ] = False,
) -> None:
    """Write a run's metrics, or its configuration, as CSV, JSON, Parquet or event files of TensorBoard; or all of it.

    Metrics have the columns seq, time (Unix seconds), step, and one for each metric; a value that was not logged
    in a row, or was not finite, is empty. What a rollback left behind is in it too: every row of the journal is.

    With --to, runs go into Weights & Biases, MLflow or Trackio, with settings, metrics, scores, tags and the newest
    video. What could not be delivered is kept for `rlviz sync`. Exit status 1 if some was not.
    """
    from rlviz.cli import tables
    from rlviz.cli.delivering import deliver_to

    if to:
        if output is not None or bundle or format_ is not None or what is not What.METRICS:
            raise Failure(Exit.BAD_INPUT, "--to takes runs as they are, without --what, --format, --output, --bundle.")
        deliver_to(context, runs, to, follow=follow)
        return
    if follow:
        raise Failure(Exit.BAD_INPUT, "--follow is for --to: a file is written once.")
    if len(runs) > 1:
        raise Failure(Exit.BAD_INPUT, "A file holds one run. Export them one by one, or all of them with --to.")
    run = runs[0]
    if bundle or format_ is Format.TENSORBOARD:
        if output is None:
            raise Failure(Exit.BAD_INPUT, "Say where with --output.")
        if bundle:
            _bundle(context, run, output, policies=policies, snapshots=snapshots)
        else:
            _event_files(context, run, output)
        return
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


def _bundle(context: typer.Context, run: str, output: Path, *, policies: bool, snapshots: bool) -> None:
    from rlviz.exchange.bundle import write_bundle
    from rlviz.rundir.folder import RunFolder

    with connected(context) as connection:
        folder = RunFolder(connection.settings.runs_dir, find_run(connection, run))
        beside = output.with_name(f".{output.name}.tmp")
        try:
            with waiting(f"Bundling {folder.run_id}"), beside.open("wb") as file:
                manifest = write_bundle(folder, file, policies=policies, snapshots=snapshots)
            beside.replace(output)
        except OSError as error:
            raise Failure(Exit.FAILED, f"{output} could not be written: {error}.") from error
        finally:
            beside.unlink(missing_ok=True)
    note(f"{output}: {len(manifest.files)} files, {size(output.stat().st_size)}")


def _event_files(context: typer.Context, run: str, output: Path) -> None:
    from rlviz.cli.tables import rows_of
    from rlviz.exchange.tensorboard import write_event_files

    if output.exists() and not output.is_dir():
        raise Failure(Exit.BAD_INPUT, f"{output} is a file. Event files need a folder: name one that is there, or new.")
    with connected(context) as connection:
        run_id = find_run(connection, run)
        configuration = json.dumps(connection.get(f"/runs/{run_id}/config"), indent=1)
        with waiting(f"Exporting {run_id}"), connection.lines(f"/runs/{run_id}/artifacts/metrics.jsonl") as lines:
            try:
                count = write_event_files(rows_of(lines), configuration, output)
            except FileExistsError as error:
                raise Failure(Exit.CONFLICT, str(error)) from error
            except OSError as error:
                raise Failure(Exit.FAILED, f"{output} could not be written: {error}.") from error
    note(f"{output}: {count} values; tensorboard --logdir {output}")
