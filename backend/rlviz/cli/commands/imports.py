"""Runs that come in: bundles, and what other tools have logged."""

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
"""Files that are named of those that were left out."""


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
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file, or a folder of logs.")],
    algo: Annotated[str | None, typer.Option(help="Algorithm, where the logs do not say it.")] = None,
    env: Annotated[str | None, typer.Option(help="Environment, where the logs do not say it.")] = None,
    name: Annotated[str | None, typer.Option(help="What the run is called on the pages.")] = None,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            "--trust-policies",
            help="Of a bundle: what it holds may run on this machine, as after `rlviz trust`. Give it for runs of "
            "people whose programs you would run.",
        ),
    ] = False,
    most_bytes: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="An archive is refused if it would take more.",
            show_default="20 GB of a bundle, 2 GB of logs",
        ),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also what was imported before.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take runs from a bundle, or from what other tools have logged: each of them whole, or not at all.

    A bundle is what `rlviz export --bundle` wrote; every hash in it has to be right. Logs are event files of
    TensorBoard, monitor.csv, progress.csv and progress.json of Stable-Baselines3, log folders of the RL Zoo, metrics
    that `rlviz export` wrote as CSV, JSON or Parquet, folders of these, and zip archives of such folders. Each folder
    with logs becomes a run that has ended, unless a run with the same curves was imported before: exit status 4 if all
    were. A line that cannot be read is left out, and so is a file beside others, with a warning that names it.
    Nothing in the files is executed. A run from a bundle can be looked at; to evaluate, resume or fork it, trust it.
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
            _list_if_interrupted(connection, [error.run_id])
            raise Failure(Exit.CONFLICT, str(error)) from error
        except OSError as error:
            raise Failure(Exit.FAILED, f"{path} could not be imported: {error}. No run is there in part.") from error
        runs = [connection.post(f"/runs/{folder.run_id}/take-up") for folder in outcome.runs]
        _list_if_interrupted(connection, [run_id for _, run_id in outcome.known])
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
            _say_of_bundle(folder.run_id, origin, trust)
    for place, run_id in outcome.known:
        note(f"Imported before: {place} is {run_id}. `--again` imports it once more.")
    for place, reason in outcome.refused:
        warn(f"Not imported: {place}: {reason}")
    if refused:
        raise typer.Exit(Exit.FAILED)
    if known and not runs:
        raise typer.Exit(Exit.CONFLICT)


def _say_of_bundle(run_id: str, origin: Origin, trusted: bool) -> None:
    """What an import has made of a bundle."""
    if origin.run_id != run_id:
        note(f"It was {origin.run_id} there; that id is taken or cannot be one here.")
    for one in origin.left_out[:_SHOWN]:
        note(f"Left out: {one.path}. {one.why}")
    if (more := origin.left_out_count - _SHOWN) > 0:
        note(f"{more} more files were left out: {ORIGIN} in its folder names them.")
    if not trusted:
        note(f"Nothing that it holds is used as yet. If you trust where it comes from: `rlviz trust {run_id}`.")


def _list_if_interrupted(connection: Connection, run_ids: Sequence[str]) -> None:
    """Runs that are there, and that an earlier import may not have come to list."""
    for run_id in run_ids:
        with suppress(Refused):
            connection.post(f"/runs/{run_id}/take-up")
