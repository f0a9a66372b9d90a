"""Commands on evaluations and their steps: evaluate, evaluations, actions, verify.

``stream_steps`` prints the steps of evaluations and recordings of a run as they appear.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rlviz.cli.completion import NEWEST
from rlviz.cli.connection import Connection
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, EvaluationName, RunName, Sample, connected, examples, find_run
from rlviz.cli.output import counted, note, number, print_json, print_table, say
from rlviz.cli.waiting import AT_REST, POLL_SECONDS, wait_for_evaluation, wait_for_verification
from rlviz.domain.plain_text import json_text

if TYPE_CHECKING:
    from rlviz.cli.connection import Connection


_SHOWN = ("episode", "index", "action", "reward", "terminated", "truncated")


def stream_steps(connection: Connection, run_id: str, *, columns: str | None, as_json: bool, **query: Any) -> None:
    """Print one line for each step of a run's newest evaluation or recording, and of every later one.

    Ends when the run no longer trains and no evaluation is running. ``query``: the parameters of ``…/export``.
    """
    names = [name.strip() for name in columns.split(",")] if columns else list(_SHOWN)
    for evaluation in _follow_evaluations(connection, run_id):
        path = f"{_path(run_id)}/{evaluation['id']}/export"
        note(f"{evaluation['id']}: {_about(evaluation)}")
        with connection.lines(path, format="ndjson", **query) as lines:
            for line in lines:
                say(_json(line, evaluation["id"]) if as_json else _text(json.loads(line), names))
        sys.stdout.flush()


def _follow_evaluations(connection: Connection, run_id: str) -> Iterator[dict[str, Any]]:
    seen: set[str] | None = None
    while True:
        at_rest = connection.get(f"/runs/{run_id}")["status"] in AT_REST
        every = [one for by_run in (False, True) for one in connection.get(_path(run_id), by_run=by_run)]
        found = sorted(every, key=lambda one: (one["created_at"], one["id"]))
        there = [one for one in found if one["status"] == "completed" and one["has_steps"]]
        if seen is None:
            seen = {one["id"] for one in there[:-1]}
        for one in there:
            if one["id"] not in seen:
                seen.add(one["id"])
                yield one
        if at_rest and not any(one["status"] in ("queued", "running") for one in found):
            return
        time.sleep(POLL_SECONDS)


def _path(run_id: str) -> str:
    return f"/runs/{run_id}/evaluations"


def _about(evaluation: dict[str, Any]) -> str:
    step = evaluation["checkpoint_step"]
    mean = ((evaluation["summary"] or {}).get("episode_return") or {}).get("mean")
    return f"{'no policy' if step is None else f'policy of step {step}'}, return {number(mean)}"


def _json(line: str, evaluation_id: str) -> str:
    return json_text({"evaluation": evaluation_id, **json.loads(line)})


def _text(step: dict[str, Any], names: Sequence[str]) -> str:
    return "  ".join(f"{name} {_value(step[name])}" for name in names if _has_content(step.get(name)))


def _has_content(value: Any) -> bool:
    """Return whether to print a value. The first state of an episode, for instance, has no action before it."""
    return value is not None and value is not False


def _value(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(_value, value))
    return number(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value).lower()


_PAGE = 1_000


def register(app: typer.Typer) -> None:
    app.command(
        epilog=examples("rlviz evaluate last", "rlviz evaluate last --episodes 20 --no-video --json | jq .summary")
    )(evaluate)
    app.command(epilog=examples("rlviz evaluations last"))(evaluations)
    app.command(
        epilog=examples(
            "rlviz actions last last --limit 20",
            "rlviz actions last last --episode 2 --where action:1 --columns index,action,reward",
            "rlviz actions last --follow --json | jq .action",
        )
    )(actions)
    app.command(epilog=examples("rlviz verify last", "rlviz verify last --film"))(verify)


def evaluate(
    context: typer.Context,
    run: RunName,
    episodes: Annotated[
        int | None, typer.Option(help="Episodes to play.", show_default="the service's default")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the first episode; each further episode adds 1.")] = None,
    step: Annotated[
        int | None, typer.Option(help="Use the newest policy that was saved at this step or before.")
    ] = None,
    best: Annotated[bool, typer.Option("--best", help="Use the best saved policy instead of the newest.")] = False,
    sample: Sample = None,
    video: Annotated[bool, typer.Option(help="Film it.")] = True,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until the evaluation is complete.")] = True,
    as_json: AsJson = False,
) -> None:
    """Play new episodes with a run's policy."""
    body: dict[str, Any] = {"video": video}
    if sample is not None:
        body["deterministic"] = not sample
    if episodes is not None:
        body["episodes"] = episodes
    if seed is not None:
        body["seed"] = seed
    if best:
        body["policy"] = "best"
    if step is not None:
        body["checkpoint_step"] = step
    with connected(context, starts_run=True) as connection:
        run_id = find_run(connection, run)
        evaluation = connection.post(f"/runs/{run_id}/evaluations", body)
        if wait or connection.is_own:
            evaluation = wait_for_evaluation(connection, run_id, evaluation["id"])
    if as_json:
        print_json(evaluation)
    elif evaluation["summary"] is None:
        say(f"{evaluation['id']} {evaluation['status']}")
    else:
        _show(evaluation)


def evaluations(
    context: typer.Context,
    run: RunName,
    by_run: Annotated[
        bool, typer.Option("--by-run", help="List those that the run recorded itself during training.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the evaluations of a run."""
    with connected(context) as connection:
        run_id = find_run(connection, run)
        found = connection.get(f"/runs/{run_id}/evaluations", by_run=by_run)
    if as_json:
        print_json(found)
        return
    if not found:
        say(f"{run_id} has no evaluation yet. `rlviz evaluate {run_id}` makes one.")
        return
    rows = []
    for item in found:
        returns = (item["summary"] or {}).get("episode_return") or {"mean": None, "std": None}
        policy = "–" if item["checkpoint_step"] is None else f"step {item['checkpoint_step']}"
        figures = (number(returns["mean"]), number(returns["std"]))
        rows.append((item["id"], item["status"], *figures, str(item["episodes"]), policy))
    print_table(("EVALUATION", "STATUS", "RETURN", "±", "EPISODES", "POLICY"), rows, keep=2)


def actions(
    context: typer.Context,
    run: RunName,
    evaluation: EvaluationName = NEWEST,
    episode: Annotated[
        int | None, typer.Option(min=0, help="Only this episode, counted from 0.", show_default="all")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "Condition on steps: COLUMN:TEST such as action:1, or text such as 'reward < 0 and action = 1'; "
                "repeatable."
            )
        ),
    ] = None,
    columns: Annotated[str | None, typer.Option(help="Comma-separated.", show_default="all")] = None,
    sort: Annotated[
        str | None, typer.Option(help="Columns to sort by, separated by commas; -reward sorts in descending order.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of steps.")] = 50,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow",
            "-f",
            help="Print the newest evaluation or recording, and each later one until the run ends; one line per step.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the steps of an evaluation: observations and actions."""
    if follow and (evaluation != NEWEST or sort is not None):
        raise Failure(Exit.BAD_INPUT, "--follow shows evaluations as they come: leave out EVAL and --sort.")
    with connected(context) as connection:
        run_id = find_run(connection, run)
        if follow:
            stream_steps(connection, run_id, columns=columns, as_json=as_json, episode=episode, where=where)
            return
        path = f"/runs/{run_id}/evaluations/{find_evaluation(connection, run_id, evaluation)}/steps"
        query = {"episode": episode, "where": where, "columns": columns, "sort": sort}
        answer = connection.get(path, **query, to=min(limit, _PAGE))
        while answer["stop"] < min(limit, answer["total"]):
            more = connection.get(path, **query, **{"from": answer["stop"]}, to=min(limit, answer["stop"] + _PAGE))
            for name, values in more["columns"].items():
                answer["columns"][name] += values
            answer["stop"] = more["stop"]
    if as_json:
        print_json(answer)
        return
    named = answer["columns"]
    if not answer["total"]:
        say("No step matches." if where or episode is not None else "No step was recorded.")
        return
    print_table(list(named), ([_cell(value) for value in row] for row in zip(*named.values(), strict=True)), keep=4)
    if answer["stop"] < answer["total"]:
        say(f"{answer['stop']} of {answer['total']} steps; --limit {answer['total']} shows all.")


def verify(
    context: typer.Context,
    run: RunName,
    evaluation: EvaluationName = NEWEST,
    film: Annotated[bool, typer.Option("--film", help="Also make its video, or make it again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Replay an evaluation and compare every step. Exit status 1 if it is not identical."""
    with connected(context) as connection:
        run_id = find_run(connection, run)
        path = f"/runs/{run_id}/evaluations/{find_evaluation(connection, run_id, evaluation)}"
        begin = f"{path}/film" if film else None
        verification = wait_for_verification(connection, f"{path}/verify", "Replaying the evaluation", begin=begin)
    if as_json:
        print_json(verification)
    if verification["status"] == "failed":
        raise Failure(Exit.FAILED, f"It could not be replayed: {verification['cause']}")
    if not verification["identical"]:
        raise Failure(Exit.FAILED, f"It is not identical: {verification['first_difference']}")
    if not as_json:
        say(f"All {counted(verification['steps'], 'step')} are identical.")


def find_evaluation(connection: Connection, run_id: str, text: str) -> str:
    """Return the id of the evaluation that ``text`` refers to. Raises Failure if there is none.

    ``last`` is the newest completed evaluation, or else the newest one that the run recorded itself.
    """
    found = connection.get(f"/runs/{run_id}/evaluations")
    if text != NEWEST:
        by_itself = connection.get(f"/runs/{run_id}/evaluations", by_run=True)
        if text not in {item["id"] for item in (*found, *by_itself)}:
            lister = f"rlviz evaluations {run_id}"
            raise Failure(Exit.NOT_FOUND, f"{run_id} has no evaluation {text[:80]!r}. `{lister}` lists all.")
        return text
    completed = [item for item in found if item["status"] == "completed"]
    if not completed:
        recorded = connection.get(f"/runs/{run_id}/evaluations", by_run=True)
        completed = [item for item in recorded if item["status"] == "completed"]
    if not completed:
        raise Failure(Exit.NOT_FOUND, f"{run_id} has no evaluation yet. `rlviz evaluate {run_id}` makes one.")
    return str(max(completed, key=lambda item: item["created_at"])["id"])


def _show(evaluation: dict[str, Any]) -> None:
    summary = evaluation["summary"]
    returns, lengths = summary["episode_return"], summary["episode_length"]
    step = evaluation["checkpoint_step"]
    say(f"{evaluation['id']}: {'no policy' if step is None else f'policy of step {step}'}")
    say(
        f"return {number(returns['mean'])} ± {number(returns['std'])} "
        f"({number(returns['min'])} to {number(returns['max'])}), length {number(lengths['mean'])}"
    )
    rows = [
        (str(e["index"]), str(e["seed"]), number(e["episode_return"]), str(e["episode_length"]), _ending(e))
        for e in summary["episodes"]
    ]
    print_table(("EPISODE", "SEED", "RETURN", "LENGTH", "ENDED BY"), rows, keep=3)


def _ending(episode: dict[str, Any]) -> str:
    return "terminal state" if episode["terminated"] else "time limit" if episode["truncated"] else "cut off"


def _cell(value: Any) -> str:
    if isinstance(value, bool | str):
        return str(value).lower() if isinstance(value, bool) else value
    if isinstance(value, list):
        return " ".join(_cell(item) for item in value)
    return "" if value is None else number(value)
