"""Runs that begin, or go on: run, fork, resume."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rlviz.cli.connection import Connection
from rlviz.cli.delivering import SINKS, say_who_delivers, see_delivered
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, Changes, EnvironmentOptions, RunName, connected, examples, find_run, pairs
from rlviz.cli.output import note, print_json, say
from rlviz.cli.waiting import AT_REST, say_how_it_ended, wait_for_run, wait_until_started
from rlviz.domain.sinks import SinkKind

Follow = Annotated[bool, typer.Option("--follow", "-f", help="Watch it learn until it ends.")]
Wait = Annotated[bool, typer.Option("--wait", help="Return when it has ended; exit status 1 if it failed.")]
Seed = Annotated[int | None, typer.Option(help="Seed of all random numbers.", show_default="drawn")]
Name = Annotated[str | None, typer.Option(help="What it is called on the pages.")]


def register(app: typer.Typer) -> None:
    app.command(
        epilog=examples(
            "rlviz run --env CartPole-v1 --algo ppo --follow",
            "rlviz run --env LunarLander-v3 --algo dqn --preset long --seed 7",
            "rlviz run --algo sac --env Pendulum-v1 --sink tensorboard --sink mlflow",
            "rlviz run --algo ppo --steps 20000 --set learning_rate=3e-4 --set n_envs=4 --wait",
        )
    )(run)
    app.command(
        epilog=examples(
            "rlviz fork ppo-cartpole-20261121-044130-3630 --step 20000 --set learning_rate=1e-4 --follow",
            "rlviz fork last --snapshot before-the-fall --seed 2",
        )
    )(fork)
    app.command(epilog=examples("rlviz resume last", "rlviz resume last --steps 200000 --follow"))(resume)


def run(
    context: typer.Context,
    env: Annotated[str, typer.Option(help="Environment.")] = "CartPole-v1",
    algo: Annotated[str, typer.Option(help="Algorithm, or `random` for random actions.")] = "ppo",
    preset: Annotated[str | None, typer.Option(help="Preset; `none` for the algorithm's own values.")] = "fast",
    seed: Seed = None,
    steps: Annotated[int | None, typer.Option(help="Environment steps.", show_default="the preset's")] = None,
    changes: Changes = None,
    options: EnvironmentOptions = None,
    name: Name = None,
    sink: Annotated[
        list[SinkKind] | None, typer.Option(metavar=SINKS, help="Deliver it there as it trains; may be repeated.")
    ] = None,
    follow: Follow = False,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Train an agent.

    The run is started, and this returns: it trains in a process of its own, with or without a service.
    """
    body = {
        "env_id": env,
        "algo": algo,
        "preset": None if preset == "none" else preset,
        "seed": seed,
        "total_timesteps": steps,
        "hyperparameters": pairs(changes, "--set"),
        "env_options": pairs(options, "--option"),
        "name": name,
        "sinks": [kind.value for kind in dict.fromkeys(sink or ())],
        "start": True,
    }
    with connected(context) as connection:
        _attend(connection, connection.post("/runs", body), follow, wait, as_json)


def fork(
    context: typer.Context,
    parent: RunName,
    step: Annotated[int | None, typer.Option(help="Step to fork at.", show_default="the newest")] = None,
    snapshot: Annotated[str | None, typer.Option(help="Snapshot to fork at instead.")] = None,
    changes: Changes = None,
    options: EnvironmentOptions = None,
    seed: Annotated[int | None, typer.Option(help="Another seed.", show_default="the parent's")] = None,
    steps: Annotated[int | None, typer.Option(help="Environment steps.", show_default="the parent's")] = None,
    name: Name = None,
    sink: Annotated[
        list[SinkKind] | None,
        typer.Option(
            metavar=SINKS, help="Deliver it there as it trains; may be repeated.", show_default="as the parent"
        ),
    ] = None,
    no_sinks: Annotated[bool, typer.Option("--no-sinks", help="Deliver it nowhere.")] = False,
    follow: Follow = False,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Begin a new run where another one was, with changed settings."""
    if no_sinks and sink:
        raise Failure(Exit.BAD_INPUT, "Give either --sink or --no-sinks.")
    body: dict[str, Any] = {
        "hyperparameters": pairs(changes, "--set"),
        "env_options": pairs(options, "--option"),
        "seed": seed,
        "total_timesteps": steps,
        "name": name,
        "sinks": [kind.value for kind in dict.fromkeys(sink or ())] if sink or no_sinks else None,
        "start": True,
    }
    with connected(context) as connection:
        run_id = find_run(connection, parent)
        if snapshot is None and step is None:
            snapshot = connection.get(f"/runs/{run_id}/snapshots")["newest"]
        body |= {"snapshot": snapshot, "step": step}
        _attend(connection, connection.post(f"/runs/{run_id}/fork", body), follow, wait, as_json)


def resume(
    context: typer.Context,
    run: RunName,
    snapshot: Annotated[str | None, typer.Option(help="Snapshot to go on from.", show_default="the newest")] = None,
    steps: Annotated[int | None, typer.Option(help="Train for this many steps in all, more than before.")] = None,
    follow: Follow = False,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Go on with a run that was paused, stopped or interrupted, or train a completed one for longer."""
    with connected(context) as connection:
        run_id = find_run(connection, run)
        body = {"snapshot": snapshot, "total_timesteps": steps}
        _attend(connection, connection.post(f"/runs/{run_id}/resume", body), follow, wait, as_json)


def _attend(connection: Connection, run: dict[str, Any], follow: bool, wait: bool, as_json: bool) -> None:
    """See a run that was asked for begin, or end, as the flags say."""
    run_id: str = run["id"]
    if follow and not as_json:
        from rlviz.cli.follow.follow import follow_run

        follow_run(connection, run_id)
        return
    if wait or follow:
        run = wait_for_run(connection, run_id, AT_REST, f"Training {run_id}")
    elif connection.is_own:
        run = wait_until_started(connection, run_id)
    if as_json:
        print_json(run)
    if run["status"] in AT_REST:
        see_delivered(connection, [run_id])
        say_how_it_ended(run, quiet=as_json)
    elif not as_json:
        say(run_id)
        note(f"It trains in a process of its own. `rlviz status {run_id} --follow` shows how it does.")
        say_who_delivers(connection, run_id)
