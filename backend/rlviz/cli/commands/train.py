"""Commands that start or continue runs: run, seeds, fork, resume."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rlviz.cli.attending import Follow, Wait, attend, attend_group
from rlviz.cli.completion import complete_algorithm, complete_environment, complete_preset, complete_snapshot
from rlviz.cli.delivering import SINKS
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import (
    PRESET_HELP,
    AsJson,
    Changes,
    EnvironmentOptions,
    EveryMinutes,
    EverySteps,
    Keep,
    MaxSize,
    RunName,
    connected,
    examples,
    find_run,
    parse_pairs,
    snapshot_plan,
)
from rlviz.cli.output import note
from rlviz.cli.rule_text import read_rules
from rlviz.domain.recommended import RECOMMENDED
from rlviz.domain.sinks import SinkKind

if TYPE_CHECKING:
    from rlviz.cli.connection import Connection

Seed = Annotated[int | None, typer.Option(help="Seed of all random numbers.", show_default="drawn")]
Name = Annotated[str | None, typer.Option(help="Its name.")]


def register(app: typer.Typer) -> None:
    app.command(
        epilog=examples(
            "rlviz run --env CartPole-v1 --algo ppo --follow",
            "rlviz run --env LunarLander-v3 --algo dqn --preset long --seed 7",
            "rlviz run --algo sac --env Pendulum-v1 --sink tensorboard --sink mlflow",
            "rlviz run --env LunarLander-v3 --snapshot-every-steps 50000 --snapshot-keep 10",
            "rlviz run --algo ppo --steps 20000 --set learning_rate=3e-4 --set n_envs=4 --wait",
            "rlviz run --algo dqn --count 5 --tag baseline",
            "rlviz run --env LunarLander-v3 --reward-weight main_engine=0 --reward-cap approach=50",
            "rlviz run --algo ppo --rule 'rollout/ep_rew_mean >= 475 for 5 -> stop and notify'",
        )
    )(run)
    app.command(epilog=examples("rlviz seeds last --count 4", "rlviz seeds last --seed 7 --seed 8 --wait"))(seeds)
    app.command(
        epilog=examples(
            "rlviz fork ppo-cartpole-20261121-044130-3630 --step 20000 --set learning_rate=1e-4 --follow",
            "rlviz fork last --snapshot before-the-fall --seed 2",
        )
    )(fork)
    app.command(epilog=examples("rlviz resume last", "rlviz resume last --steps 200000 --follow"))(resume)


def run(
    context: typer.Context,
    env: Annotated[str, typer.Option(help="Environment.", autocompletion=complete_environment)] = "CartPole-v1",
    algo: Annotated[
        str,
        typer.Option(
            help="Algorithm; `random` for random actions, `recommended` for one tested on this environment.",
            autocompletion=complete_algorithm,
        ),
    ] = RECOMMENDED,
    preset: Annotated[
        str | None,
        typer.Option(help=PRESET_HELP, autocompletion=complete_preset),
    ] = RECOMMENDED,
    seed: Seed = None,
    count: Annotated[
        int | None, typer.Option(help="Number of runs. Their seeds count up from --seed, or are random without it.")
    ] = None,
    steps: Annotated[int | None, typer.Option(help="Environment steps.", show_default="the preset's")] = None,
    changes: Changes = None,
    options: EnvironmentOptions = None,
    evaluate_every: Annotated[
        int | None,
        typer.Option(
            metavar="STEPS", help="Steps between evaluations during training; 0 for none.", show_default="the preset's"
        ),
    ] = None,
    evaluate_episodes: Annotated[
        int | None, typer.Option(help="With --evaluate-every: episodes per evaluation.", show_default="10")
    ] = None,
    evaluate_sampled: Annotated[
        bool | None,
        typer.Option(
            "--evaluate-sampled/--evaluate-greedy",
            help="With --evaluate-every: sample actions, or take the most likely one.",
            show_default="the preset's",
        ),
    ] = None,
    stop_after: Annotated[
        int | None,
        typer.Option(
            help="With --evaluate-every: stop after this many consecutive evaluations that reach the reward threshold."
        ),
    ] = None,
    anatomy: Annotated[
        bool | None,
        typer.Option(
            "--anatomy/--no-anatomy",
            help="Record details of some updates of the networks.",
            show_default="on, unless observations are images",
        ),
    ] = None,
    explore_map: Annotated[
        bool, typer.Option("--map", help="Record how often each cell of the environment is visited.")
    ] = False,
    no_exploration: Annotated[
        bool,
        typer.Option(
            "--no-exploration",
            help="Leave out what the preset explores with. Otherwise --map, --coverage, --novelty, --archive and "
            "--imitation override only their own value of the preset.",
        ),
    ] = False,
    coverage: Annotated[
        float | None,
        typer.Option(help="Reward for the first visit to a cell in an episode; it falls as the cell becomes known."),
    ] = None,
    novelty: Annotated[
        float | None,
        typer.Option(help="Reward observations that are hard to predict, with at most this share of the return."),
    ] = None,
    reward_weights: Annotated[
        list[str] | None,
        typer.Option(
            "--reward-weight",
            metavar="NAME=FACTOR",
            help="Multiply a component of the reward in training; 0 switches it off; repeatable.",
        ),
    ] = None,
    reward_caps: Annotated[
        list[str] | None,
        typer.Option(
            "--reward-cap",
            metavar="NAME=LIMIT",
            help="Limit what an episode of training earns or loses with a component of the reward; repeatable.",
        ),
    ] = None,
    archive: Annotated[
        float | None,
        typer.Option(help="Probability that an episode of training begins in a seldom visited cell, from 0 to 1."),
    ] = None,
    imitation: Annotated[
        int | None,
        typer.Option(help="Learn again from this many of its best episodes after each update; for PPO and A2C."),
    ] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option("--rule", help="Add a rule, as in `rlviz rules add`; repeatable."),
    ] = None,
    rule_file: Annotated[Path | None, typer.Option(help="Rules in JSON or YAML.")] = None,
    name: Name = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", help="Add a tag; repeatable.")] = None,
    notes: Annotated[str | None, typer.Option(help="Notes.")] = None,
    sink: Annotated[
        list[SinkKind] | None,
        typer.Option(metavar=SINKS, help="Send its data to this program during training; repeatable."),
    ] = None,
    snapshot_every_steps: EverySteps = None,
    snapshot_every_minutes: EveryMinutes = None,
    snapshot_keep: Keep = None,
    snapshot_max_size: MaxSize = None,
    start: Annotated[bool, typer.Option("--start/--no-start", help="Start the run, or only create it.")] = True,
    follow: Follow = False,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Train an agent.

    The command returns after the run has started. The run trains in a separate process, with or without a service.
    """
    if count is not None and follow:
        raise Failure(Exit.BAD_INPUT, "--follow shows only one run. Use --wait with --count to wait for all runs.")
    body = {
        "env_id": env,
        "algo": algo,
        "preset": preset,
        "seed": seed,
        "total_timesteps": steps,
        "hyperparameters": parse_pairs(changes, "--set"),
        "env_options": parse_pairs(options, "--option"),
        "evaluation": _evaluation(evaluate_every, evaluate_episodes, evaluate_sampled, stop_after),
        "anatomy": anatomy,
        **_reward(reward_weights, reward_caps),
        "rules": read_rules(rules, rule_file),
        "name": name,
        "snapshots": snapshot_plan(snapshot_every_steps, snapshot_every_minutes, snapshot_keep, snapshot_max_size)
        or None,
        "sinks": [kind.value for kind in dict.fromkeys(sink or ())],
        "start": start,
    }
    switches = {"map": explore_map or None, "coverage": coverage, "novelty": novelty}
    switches |= {"archive": archive, "imitation": imitation}
    described = {name: given for name, given in (("tags", tags), ("notes", notes)) if given is not None}
    with connected(context, starts_run=start) as connection:
        body |= _exploration(connection, body, switches, without_preset=no_exploration)
        if count is None:
            created = connection.post("/runs", body)
            if described:
                created = connection.request("PATCH", f"/runs/{created['id']}", json=described).json()
            _warn_of_length(created)
            attend(connection, created, follow, wait, as_json)
        else:
            group = connection.post("/runs/groups", {**body, "count": count})
            _warn_of_length(group)
            for one in group["runs"] if described else ():
                connection.request("PATCH", f"/runs/{one['id']}", json=described)
            attend_group(connection, group, wait, as_json)


def seeds(
    context: typer.Context,
    run: RunName,
    count: Annotated[int | None, typer.Option(help="Number of runs with random seeds.")] = None,
    seed: Annotated[list[int] | None, typer.Option(help="Add a run with this seed; repeatable.")] = None,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Repeat a run with other seeds, as a group."""
    if (count is None) == (not seed):
        raise Failure(Exit.BAD_INPUT, "Give either --count or one --seed or more.")
    with connected(context, starts_run=True) as connection:
        path = f"/runs/{find_run(connection, run)}/seeds"
        attend_group(connection, connection.post(path, {"count": count, "seeds": seed or []}), wait, as_json)


def fork(
    context: typer.Context,
    parent: RunName,
    step: Annotated[int | None, typer.Option(help="Step to fork at.", show_default="the newest")] = None,
    snapshot: Annotated[
        str | None, typer.Option(help="Snapshot to fork at instead.", autocompletion=complete_snapshot)
    ] = None,
    changes: Changes = None,
    options: EnvironmentOptions = None,
    seed: Annotated[int | None, typer.Option(help="Another seed.", show_default="the parent's")] = None,
    steps: Annotated[int | None, typer.Option(help="Environment steps.", show_default="the parent's")] = None,
    name: Name = None,
    sink: Annotated[
        list[SinkKind] | None,
        typer.Option(
            metavar=SINKS,
            help="Send its data to this program during training; repeatable.",
            show_default="as the parent",
        ),
    ] = None,
    no_sinks: Annotated[bool, typer.Option("--no-sinks", help="Use no sinks.")] = False,
    start_cell: Annotated[
        int | None,
        typer.Option(
            help="Cell of the run's map, counted from 0, row by row, in which episodes begin with the probability "
            "--archive.",
            show_default="as the parent",
        ),
    ] = None,
    archive: Annotated[
        float | None,
        typer.Option(
            help="Probability that an episode begins in the start cell, which is that of --start-cell or the parent's.",
            show_default="the parent's, or the service's",
        ),
    ] = None,
    follow: Follow = False,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Create a run that continues from a step of another run. Its settings can differ."""
    if no_sinks and sink:
        raise Failure(Exit.BAD_INPUT, "Give either --sink or --no-sinks.")
    body: dict[str, Any] = {
        "hyperparameters": parse_pairs(changes, "--set"),
        "env_options": parse_pairs(options, "--option"),
        "seed": seed,
        "total_timesteps": steps,
        "name": name,
        "sinks": [kind.value for kind in dict.fromkeys(sink or ())] if sink or no_sinks else None,
        "start_cell": start_cell,
        "archive": archive,
        "start": True,
    }
    with connected(context, starts_run=True) as connection:
        run_id = find_run(connection, parent)
        if snapshot is None and step is None:
            snapshot = connection.get(f"/runs/{run_id}/snapshots")["newest"]
            if snapshot is None:
                step = connection.get(f"/runs/{run_id}")["step"]
        body |= {"snapshot": snapshot, "step": step}
        forked = connection.post(f"/runs/{run_id}/fork", body)
        begins = connection.get(f"/runs/{forked['id']}")["config"]["parent"]["step"]
        note(f"It starts at step {begins:,} of {run_id}.")
        attend(connection, forked, follow, wait, as_json)


def resume(
    context: typer.Context,
    run: RunName,
    snapshot: Annotated[
        str | None,
        typer.Option(help="Snapshot to resume from.", show_default="the newest", autocompletion=complete_snapshot),
    ] = None,
    steps: Annotated[int | None, typer.Option(help="New total number of steps, more than before.")] = None,
    follow: Follow = False,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Resume a paused, stopped or interrupted run. A completed run trains for longer."""
    with connected(context, starts_run=True) as connection:
        run_id = find_run(connection, run)
        body = {"snapshot": snapshot, "total_timesteps": steps}
        attend(connection, connection.post(f"/runs/{run_id}/resume", body), follow, wait, as_json)


def _warn_of_length(created: dict[str, Any]) -> None:
    if (warning := created["length_note"]) is not None:
        note(warning)


def _exploration(
    connection: Connection, body: Mapping[str, Any], switches: Mapping[str, float | None], *, without_preset: bool
) -> dict[str, Any]:
    """Return the part of the request that changes the exploration of its preset; empty without an option for that.

    Args:
        connection: The service, which knows the presets.
        body: The rest of the request.
        switches: The values of the options by field of the plan; None: not given.
        without_preset: Whether to leave out what the preset explores with.
    """
    given = {name: value for name, value in switches.items() if value is not None}
    if without_preset:
        return {"exploration": given}
    return {"exploration": {**_planned(connection, body), **given}} if given else {}


def _planned(connection: Connection, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what the preset of a request explores with; empty if there is no such preset."""
    environment = next((one for one in connection.get("/environments") if one["id"] == body["env_id"]), None)
    if environment is None:
        return {}
    options = {one["name"]: one["default"] for one in environment["options"]} | body["env_options"]
    facts = next((one for one in environment["variants"] if one["options"].items() <= options.items()), environment)
    algorithm = facts["recommended_algorithm"] if body["algo"] == RECOMMENDED else body["algo"]
    for preset in facts["presets"].get(algorithm, ()):
        if preset["recommended"] if body["preset"] == RECOMMENDED else preset["id"] == body["preset"]:
            return preset["exploration"] or {}
    return {}


def _reward(weights: list[str] | None, caps: list[str] | None) -> dict[str, Any]:
    """Return the part of the request that weights components of the reward; empty without one of its options."""
    plan = {
        "weights": parse_pairs(weights, "--reward-weight", "main_engine=0"),
        "caps": parse_pairs(caps, "--reward-cap", "approach=50"),
    }
    return {"reward": plan} if any(plan.values()) else {}


def _evaluation(
    every: int | None, episodes: int | None, sampled: bool | None, stop_after: int | None
) -> dict[str, Any] | None:
    """Return the evaluation plan of the flags; None for that of the preset. Raises Failure."""
    if every is None:
        if episodes is not None or stop_after is not None or sampled is not None:
            raise Failure(
                Exit.BAD_INPUT,
                "--evaluate-episodes, --evaluate-sampled, --evaluate-greedy and --stop-after need --evaluate-every.",
            )
        return None
    plan = {
        "every_steps": every or None,
        "episodes": episodes,
        "deterministic": None if sampled is None else not sampled,
        "stop_after": stop_after,
    }
    return {name: value for name, value in plan.items() if value is not None or name == "every_steps"}
