"""What other programs lack of the runs: sync."""

from __future__ import annotations

import typer

from rlviz.cli.options import AnyRuns, WrittenAsJson, examples, folders_named, read_settings
from rlviz.cli.output import note, print_json, say


def register(app: typer.Typer) -> None:
    app.command(epilog=examples("rlviz sync", "rlviz sync ppo-cartpole-20261121-044130-3630"))(sync)


def sync(context: typer.Context, runs: AnyRuns = None, as_json: WrittenAsJson = False) -> None:
    """Deliver what Weights & Biases, MLflow, Trackio or TensorBoard lack of runs that were to go there.

    Runs that could not be delivered wait in their folders; offline runs of Weights & Biases go there once there is a
    login. A run that goes on training is delivered as far as it has come. Runs that came from elsewhere and that you
    do not trust are delivered if you name them. Exit status 1 if something still waits, and 6 if all that waits waits
    for a login.
    """
    from rlviz.cli.delivering import deliver_all, is_waiting
    from rlviz.rundir.sinks import read_sinks
    from rlviz.rundir.standing import standing_of

    settings = read_settings(context)
    waiting = [
        (folder, record.kind)
        for folder in folders_named(settings.runs_dir, runs)
        for record in read_sinks(folder)
        if is_waiting(folder, record)
    ]
    if not runs:
        foreign = {
            folder.run_id
            for folder, _ in waiting
            if not standing_of(folder.path, trusts_runs_dir=settings.trust_runs_dir).may_run
        }
        waiting = [(folder, kind) for folder, kind in waiting if folder.run_id not in foreign]
        for run_id in sorted(foreign):
            note(f"{run_id} came from elsewhere and is not trusted, so it is delivered only if you name it.")
    if not waiting:
        print_json([]) if as_json else say("Nothing waits to be delivered.")
        return
    deliver_all(waiting, offline_will_do=False, as_json=as_json)
