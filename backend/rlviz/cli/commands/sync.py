"""The command ``sync``: deliver data that sinks still lack."""

from __future__ import annotations

import typer

from rlviz.cli.options import AnyRuns, WrittenAsJson, examples, find_folders, read_settings
from rlviz.cli.output import note, print_json, say


def register(app: typer.Typer) -> None:
    app.command(epilog=examples("rlviz sync", "rlviz sync ppo-cartpole-20261121-044130-3630"))(sync)


def sync(context: typer.Context, runs: AnyRuns = None, as_json: WrittenAsJson = False) -> None:
    """Send sinks the data that they have not received yet. Sinks are Weights & Biases, MLflow, Trackio and TensorBoard.

    Data that could not be sent stays in the run's folder until this command sends it. Offline runs of Weights & Biases
    are sent once you are logged in. For a run that still trains, the data so far are sent. Runs from elsewhere that you
    do not trust are sent only if you name them. Exit status 1 if data are still missing, 6 if only a login is missing.
    """
    from rlviz.cli.delivering import deliver_all, has_undelivered_data
    from rlviz.rundir.sinks import read_sinks
    from rlviz.rundir.standing import standing_of

    settings = read_settings(context)
    waiting = [
        (folder, record.kind)
        for folder in find_folders(settings.runs_dir, runs)
        for record in read_sinks(folder)
        if has_undelivered_data(folder, record)
    ]
    if not runs:
        foreign = {
            folder.run_id
            for folder, _ in waiting
            if not standing_of(folder.path, trusts_runs_dir=settings.trust_runs_dir).may_run
        }
        waiting = [(folder, kind) for folder, kind in waiting if folder.run_id not in foreign]
        for run_id in sorted(foreign):
            note(f"{run_id} came from elsewhere and is not trusted. Name it to deliver it.")
    if not waiting:
        print_json([]) if as_json else say("All data have been delivered.")
        return
    deliver_all(waiting, offline_will_do=False, as_json=as_json)
