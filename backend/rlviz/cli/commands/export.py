"""The command ``export``: write runs for other programs and other machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from rlviz.cli.completion import complete_experiment, complete_run
from rlviz.cli.delivering import SINKS
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import WrittenAsJson, connected, examples, find_experiment, find_run, list_runs
from rlviz.cli.output import answer_bytes, counted, is_terminal, note, progress, waiting
from rlviz.domain.export_formats import MetricsFormat, RunsFormat, TableFormat
from rlviz.domain.sinks import SinkKind

if TYPE_CHECKING:
    from rlviz.cli.connection import Connection
    from rlviz.cli.output import Advance
    from rlviz.rundir.folder import RunFolder

ROWS_A_MOVE = 1_000
"""Rows between two updates of the progress bar."""

T = TypeVar("T")


class ExportedPart(StrEnum):
    METRICS = "metrics"
    CONFIG = "config"


def register(app: typer.Typer) -> None:
    app.command(
        epilog=examples(
            "rlviz export last --output metrics.csv",
            "rlviz export last --format parquet --output curves.parquet",
            "rlviz export last --what config --format json | jq .hyperparameters",
            "rlviz export last --format tensorboard --output logs/last",
            "rlviz export last --bundle --output run.zip",
            "rlviz export --experiment last --format parquet --output curves",
            "rlviz export --group last --bundle --output seeds.zip",
            "rlviz export ppo-cartpole dqn-cartpole --to wandb --to mlflow",
            "rlviz export last --to mlflow --follow",
        )
    )(export)


def export(
    context: typer.Context,
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN",
            help="Runs: ids, starts or ends of ids, names, or `last`.",
            autocompletion=complete_run,
            show_default=False,
        ),
    ] = None,
    group: Annotated[
        str | None, typer.Option(metavar="RUN", help="Export all seeds of this run.", autocompletion=complete_run)
    ] = None,
    experiment: Annotated[
        str | None, typer.Option(help="Export all runs of this experiment.", autocompletion=complete_experiment)
    ] = None,
    what: Annotated[
        ExportedPart, typer.Option(help="Export every row of the metrics, or the configuration.")
    ] = ExportedPart.METRICS,
    format_: Annotated[
        MetricsFormat | None,
        typer.Option("--format", help="Format of the file.", show_default="from the file's extension, or csv"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write or replace. For TensorBoard, a folder; for several runs, a folder or a .zip. "
            "Links are followed; devices and pipes work too.",
            show_default="printed",
        ),
    ] = None,
    bundle: Annotated[
        bool, typer.Option("--bundle", help="Write the whole run as one file, for `rlviz import` on another machine.")
    ] = False,
    policies: Annotated[bool, typer.Option(help="With --bundle: include the policies.")] = True,
    snapshots: Annotated[bool, typer.Option(help="With --bundle: include the snapshots, to resume exactly.")] = False,
    to: Annotated[
        list[SinkKind] | None,
        typer.Option(
            "--to",
            metavar=SINKS,
            help="Send the runs to this program; data that is already there is not sent twice. Repeatable.",
        ),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="With --to: send data while the runs train, until they end.")
    ] = False,
    as_json: WrittenAsJson = False,
) -> None:
    """Export metrics or configurations of runs, or whole runs. Formats are CSV, JSON, Parquet and TensorBoard event
    files; a bundle contains a whole run.

    Tables of metrics have the columns seq, time (Unix seconds), step, and one for each metric. A value that was not
    logged in a row, or was not finite, is empty. Every row of the journal is exported, also rows that a rollback
    discarded.

    Several runs become one folder, or one zip archive if --output ends in .zip. It contains a table of the runs, and
    for each run a folder with its configuration, or a bundle.

    With --to, runs are sent to Weights & Biases, MLflow or Trackio, with settings, metrics, scores, tags and the newest
    video. Data that could not be sent is kept for `rlviz sync`; the exit status is then 1.
    """
    from rlviz.cli.delivering import deliver_all, deliver_following
    from rlviz.rundir.folder import RunFolder

    if to and (output is not None or bundle or format_ is not None or what is not ExportedPart.METRICS):
        raise Failure(Exit.BAD_INPUT, "--to cannot be combined with --what, --format, --output or --bundle.")
    if follow and not to:
        raise Failure(Exit.BAD_INPUT, "--follow needs --to.")
    if as_json and output is None and not to:
        raise Failure(
            Exit.BAD_INPUT, "--json reports what was written and needs --output. Use `--format json` to print rows."
        )
    with connected(context) as connection:
        ids = _choose_runs(connection, runs or (), group, experiment)
        folders = [RunFolder(connection.settings.runs_dir.resolve(), run_id) for run_id in ids]
        sinks = [(folder, kind) for folder in folders for kind in dict.fromkeys(to or ())]
        if follow:
            deliver_following(connection, sinks)
    if sinks:
        deliver_all(sinks, as_json=as_json)
    elif len(folders) > 1 or group is not None or experiment is not None:
        if what is not ExportedPart.METRICS:
            raise Failure(
                Exit.BAD_INPUT,
                "--what config needs exactly one run. An export of several runs contains their configurations.",
            )
        form = RunsFormat.BUNDLE if bundle else RunsFormat(format_ or MetricsFormat.CSV)
        _export_several(folders, form, _require_output(output), as_json, policies=policies, snapshots=snapshots)
    elif bundle:
        _export_bundle(folders[0], _require_output(output), as_json, policies=policies, snapshots=snapshots)
    elif format_ is MetricsFormat.TENSORBOARD:
        _export_event_files(folders[0], _require_output(output), as_json)
    else:
        _export_table(folders[0], what, format_, output, as_json)


def _choose_runs(
    connection: Connection, runs: Sequence[str], group: str | None, experiment: str | None
) -> Sequence[str]:
    """Return the ids of the chosen runs, each once. Raises Failure."""
    ids = [find_run(connection, run) for run in runs]
    if group is not None:
        run = connection.get(f"/runs/{find_run(connection, group)}")
        ids += [one["id"] for one in list_runs(connection, group=[run["group_id"]])[0]]
    if experiment is not None:
        found = connection.get(f"/experiments/{find_experiment(connection, experiment)}")
        wanted = [cell["run_id"] for cell in found["cells"] if cell["run_id"] is not None]
        ids += [run_id for run_id in wanted if (connection.settings.runs_dir / run_id).is_dir()]
    if not ids:
        raise Failure(Exit.BAD_INPUT, "Name runs, or a --group or an --experiment that has runs.")
    return list(dict.fromkeys(ids))


def _require_output(output: Path | None) -> Path:
    if output is None:
        raise Failure(Exit.BAD_INPUT, "Give --output.")
    return output


def _export_table(
    folder: RunFolder, what: ExportedPart, format_: MetricsFormat | None, output: Path | None, as_json: bool
) -> None:
    from rlviz.cli.files import check_target, choose_format, replace_file, say_written
    from rlviz.domain.naming import TABLES, renames_text
    from rlviz.exchange.export import config_table, metrics_table, write_table

    chosen = choose_format(TableFormat, format_, output)
    check_target(chosen, output, is_terminal())
    folder.check()
    with progress(f"Exporting {folder.run_id}") as advance:
        config = folder.read_config().model_dump(mode="json") if what is ExportedPart.CONFIG else None
        table = config_table(config) if config is not None else metrics_table(folder)
        table = replace(table, rows=_report_progress(table.rows, table.count, advance))
        if table.renamed:
            note(renames_text(dict(table.renamed), TABLES.target))
        if output is None:
            write_table(table, chosen, answer_bytes())
            return
        rows = replace_file(output, lambda file: write_table(table, chosen, file))
    say_written(output, as_json, rows=rows)


def _export_several(
    folders: Sequence[RunFolder], form: RunsFormat, output: Path, as_json: bool, *, policies: bool, snapshots: bool
) -> None:
    """Write several runs to one folder or zip archive. An export that fails leaves nothing behind."""
    import tempfile

    from rlviz.cli.files import replace_file, say_written
    from rlviz.domain.naming import renames_text
    from rlviz.exchange.export import write_runs, zip_folder

    as_zip = output.suffix.lower() == ".zip"
    if not as_zip:
        output = output.resolve()  # follow a link, as for a file
    if not as_zip and output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise Failure(Exit.CONFLICT, f"{output} already exists. Name a new folder, an empty one, or a .zip.")
    try:
        with tempfile.TemporaryDirectory(prefix=f".{output.name}-", dir=output.absolute().parent) as beside:
            into = Path(beside) / output.stem
            into.mkdir()
            with progress(f"Exporting {counted(len(folders), 'run')}", len(folders)) as advance:
                ways = {"policies": policies, "snapshots": snapshots}
                renamed = write_runs(folders, form, into, **ways, on_progress=lambda done: advance(done, None))
            with waiting(f"Writing {output.name}"):
                if as_zip:
                    replace_file(output, lambda file: zip_folder(into, output.stem, file))
                else:
                    into.replace(output)
    except OSError as error:
        raise Failure(Exit.FAILED, f"{output} could not be written: {error}.") from error
    if renamed:
        note(renames_text(renamed, "What was written"))
    say_written(output, as_json, runs=len(folders))


def _export_bundle(folder: RunFolder, output: Path, as_json: bool, *, policies: bool, snapshots: bool) -> None:
    from rlviz.cli.files import replace_file, say_written
    from rlviz.exchange.bundle import write_bundle

    with progress(f"Bundling {folder.run_id}") as advance:

        def on_progress(name: str, done: int, total: int) -> None:
            advance(done, total, f"Bundling {name}")

        packed = partial(write_bundle, folder, policies=policies, snapshots=snapshots, on_progress=on_progress)
        manifest = replace_file(output, packed)
    say_written(output, as_json, files=len(manifest.files))


def _export_event_files(folder: RunFolder, output: Path, as_json: bool) -> None:
    from rlviz.cli.files import say_written
    from rlviz.domain.naming import TENSORBOARD, renames_text
    from rlviz.exchange.export import write_event_files
    from rlviz.rundir.metric_rows import all_rows

    if output.exists() and not output.is_dir():
        raise Failure(Exit.BAD_INPUT, f"{output} is a file. Event files need a folder; it may be new.")
    with progress(f"Exporting {folder.run_id}") as advance:
        configuration = folder.read_config().model_dump_json(indent=1)
        rows = _report_progress(all_rows(folder), _count_rows(folder), advance)
        try:
            written = write_event_files(rows, configuration, output)
        except FileExistsError as error:
            raise Failure(Exit.CONFLICT, str(error)) from error
        except OSError as error:
            raise Failure(Exit.FAILED, f"{output} could not be written: {error}.") from error
    if written.renamed:
        note(renames_text(written.renamed, TENSORBOARD.target))
    say_written(output, as_json, values=written.values)
    note(f"To view them: tensorboard --logdir {output}")


def _count_rows(folder: RunFolder) -> int | None:
    """Return the number of rows, a few more if some are damaged; None if there are none."""
    from rlviz.rundir.journal import last_lines

    return next((line.record["seq"] for line in last_lines(folder.metrics_path, 1) if line.record), None)


def _report_progress(rows: Iterable[T], total: int | None, advance: Advance) -> Iterator[T]:
    """Yield the rows, and update the progress bar from time to time."""
    for done, row in enumerate(rows):
        if done % ROWS_A_MOVE == 0:
            advance(done, total)
        yield row
    advance(total or 0, total)
