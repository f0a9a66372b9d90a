"""What other programs lack of the runs: sync."""

from __future__ import annotations

from typing import Annotated

import typer

from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import complete_run, examples, read_settings
from rlviz.cli.output import say


def register(app: typer.Typer) -> None:
    app.command(epilog=examples("rlviz sync", "rlviz sync ppo-cartpole-20261121-044130-3630"))(sync)


def sync(
    context: typer.Context,
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN]...",
            help="Ids of runs, or their beginnings; every run if left out.",
            autocompletion=complete_run,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Deliver what Weights & Biases, MLflow, Trackio or TensorBoard lack of runs that were to go there.

    Runs that could not be delivered wait in their folders; offline runs of Weights & Biases go there once there is a
    login. A run that goes on training is delivered as far as it has come. Exit status 1 if something still waits.
    """
    from rlviz.cli.delivering import deliver_all, is_waiting
    from rlviz.rundir.folder import run_folders
    from rlviz.rundir.sinks import read_sinks

    folders = list(run_folders(read_settings(context).runs_dir.resolve()))
    for name in runs or ():
        if not any(folder.run_id.startswith(name) for folder in folders):
            raise Failure(Exit.NOT_FOUND, f"There is no run {name[:80]!r}. `rlviz runs` lists those there are.")
    wanted = [folder for folder in folders if not runs or any(folder.run_id.startswith(name) for name in runs)]
    waiting = [
        (folder, record.kind) for folder in wanted for record in read_sinks(folder) if is_waiting(folder, record)
    ]
    if not waiting:
        say("Nothing waits to be delivered.")
        return
    deliver_all(waiting, offline_will_do=False)
