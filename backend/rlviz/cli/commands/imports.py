"""The command ``import``: import runs from bundles and from the logs of other tools."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rlviz.cli.exits import Exit, Failure, Refused
from rlviz.cli.options import AsJson, connected, examples
from rlviz.cli.output import note, print_json, progress, say, warn
from rlviz.domain.origin import ORIGIN

if TYPE_CHECKING:
    from rlviz.cli.connection import Connection
    from rlviz.domain.origin import Origin

_SHOWN = 5
"""Maximum number of skipped files to name."""


def register(app: typer.Typer) -> None:
    app.command(
        "import",
        epilog=examples(
            "rlviz import run.zip",
            "rlviz import run.zip --trust",
            "rlviz import logs/ppo/CartPole-v1_1",
            "rlviz import runs/PPO_1 --again --env LunarLander-v3",
            "rlviz import training/0.monitor.csv --algo sac --name 'from the cluster'",
        ),
    )(import_)


def import_(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A bundle, a log file, or a folder of logs.")],
    algo: Annotated[str | None, typer.Option(help="Algorithm, if the logs do not name it.")] = None,
    env: Annotated[str | None, typer.Option(help="Environment, if the logs do not name it.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the run.")] = None,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            "--trust-policies",
            help="Trust the bundle: its code may run on this machine, as after `rlviz trust`. Use this only for "
            "bundles from people whose programs you would run.",
        ),
    ] = False,
    most_bytes: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Refuse an archive that unpacks to more than this.",
            show_default="20 GB for a bundle, 2 GB for logs",
        ),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also import logs that were imported before.")] = False,
    as_json: AsJson = False,
) -> None:
    """Import runs from a bundle, or from the logs of other tools.

    A bundle comes from `rlviz export --bundle`; all its hashes are checked. Logs can be TensorBoard event files;
    monitor.csv, progress.csv and progress.json of Stable-Baselines3; log folders of the RL Zoo; metrics that
    `rlviz export` wrote as CSV, JSON or Parquet; folders of these; and zip archives of such folders. Each folder with
    logs becomes a run that has ended. Logs with the same curves as an imported run are skipped; exit status 4 if all
    were. Lines and files that cannot be read are skipped with a warning.

    Importing executes nothing in the files. You can view a run from a bundle at once; to evaluate, resume or fork it,
    trust it first.
    """
    from rlviz.exchange.bundle import RunIsThere
    from rlviz.exchange.import_runs import ImportOptions, import_path
    from rlviz.rundir.origin import read_origin

    if not path.exists():
        raise Failure(Exit.NOT_FOUND, f"There is no file or folder {path}.")
    options = ImportOptions(algo, env, name, trust, most_bytes, again)
    with connected(context) as connection, progress(f"Importing {path.name}") as advance:

        def on_progress(name: str, done: int, total: int) -> None:
            advance(done, total if total > 1 else None, f"Importing {name}")

        try:
            outcome = import_path(path, connection.settings.runs_dir, options, on_progress)
        except RunIsThere as error:
            _list_missing(connection, [error.run_id])
            raise Failure(Exit.CONFLICT, str(error)) from error
        except OSError as error:
            raise Failure(
                Exit.FAILED, f"{path} could not be imported: {error}. No run was imported in part."
            ) from error
        runs = [connection.post(f"/runs/{folder.run_id}/take-up") for folder in outcome.runs]
        _list_missing(connection, [run_id for _, run_id in outcome.known])
    refused = [{"place": place, "reason": reason} for place, reason in outcome.refused]
    known = [{"place": place, "run": run_id} for place, run_id in outcome.known]
    if as_json:
        print_json({"runs": runs, "known": known, "refused": refused, "warnings": outcome.warnings})
    for run in () if as_json else runs:
        source = (run["config"] or {}).get("imported_from")
        say(f"{run['id']} {run['status']}, step {run['step']}" + (f", from {source}" if source else ""))
        for message in outcome.warnings.get(run["id"], ()):
            warn(f"  {message}")
    for folder in outcome.runs:
        if (origin := read_origin(folder)) is not None:
            _report_bundle(folder.run_id, origin, trust)
    for place, run_id in outcome.known:
        note(f"Imported before: {place} is {run_id}. `--again` imports it again.")
    for place, reason in outcome.refused:
        warn(f"Not imported: {place}: {reason}")
    if refused:
        raise typer.Exit(Exit.FAILED)
    if known and not runs:
        raise typer.Exit(Exit.CONFLICT)


def _report_bundle(run_id: str, origin: Origin, trusted: bool) -> None:
    """Print how a bundle was imported."""
    if origin.run_id != run_id:
        note(f"Its id was {origin.run_id}, which is in use or not allowed here.")
    for one in origin.left_out[:_SHOWN]:
        note(f"Skipped: {one.path}. {one.why}")
    if (more := origin.left_out_count - _SHOWN) > 0:
        note(f"{more} more files were skipped. {ORIGIN} in the run's folder lists them.")
    if not trusted:
        note(f"None of its code is used yet. If you trust its source: `rlviz trust {run_id}`.")


def _list_missing(connection: Connection, run_ids: Sequence[str]) -> None:
    """List imported runs that are missing from the catalogue, because an earlier import was interrupted."""
    for run_id in run_ids:
        with suppress(Refused):
            connection.post(f"/runs/{run_id}/take-up")
