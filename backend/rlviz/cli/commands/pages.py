"""Commands that open pages in the browser: watch, replay, play."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlencode

import typer

from rlviz.cli.commands.choices import find_choice
from rlviz.cli.commands.evaluations import find_evaluation
from rlviz.cli.completion import NEWEST, complete_environment, complete_run
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, EvaluationName, RunName, connected, examples, find_run
from rlviz.cli.output import note, print_json, say

if TYPE_CHECKING:
    from rlviz.cli.connection import Connection

Open = Annotated[
    bool, typer.Option("--open/--no-open", help="Open the page in the browser, or only print its address.")
]


def register(app: typer.Typer) -> None:
    app.command(epilog=examples("rlviz watch last", "rlviz watch last --no-open"))(watch)
    app.command(epilog=examples("rlviz replay last", "rlviz replay last --episode 2 --step 30"))(replay)
    app.command(epilog=examples("rlviz play --env LunarLander-v3", "rlviz play last"))(play)


def watch(context: typer.Context, run: RunName, opens: Open = True, as_json: AsJson = False) -> None:
    """Open a run's page, where its newest policy plays live."""
    with connected(context) as connection:
        _open_page(connection, "/runs/view", {"id": find_run(connection, run), "view": "live"}, opens, as_json)


def replay(
    context: typer.Context,
    run: RunName,
    evaluation: EvaluationName = NEWEST,
    episode: Annotated[int, typer.Option(min=0, help="Start at this episode, counted from 0.")] = 0,
    step: Annotated[int, typer.Option(min=0, help="Start at this step of the episode, counted from 0.")] = 0,
    opens: Open = True,
    as_json: AsJson = False,
) -> None:
    """Open a run's page to play back an evaluation step by step."""
    with connected(context) as connection:
        run_id = find_run(connection, run)
        evaluation_id = find_evaluation(connection, run_id, evaluation)
        query = {"id": run_id, "view": "evaluation", "evaluation": evaluation_id}
        if episode or step:
            query["frame"] = str(_frame(connection, run_id, evaluation_id, episode, step))
        _open_page(connection, "/runs/view", query, opens, as_json)


def play(
    context: typer.Context,
    run: Annotated[
        str | None,
        typer.Argument(metavar="RUN", help="Take turns with this run's policy.", autocompletion=complete_run),
    ] = None,
    env: Annotated[str | None, typer.Option(help="Play this environment.", autocompletion=complete_environment)] = None,
    opens: Open = True,
    as_json: AsJson = False,
) -> None:
    """Open the page to play an environment with the keyboard."""
    with connected(context) as connection:
        query = {}
        if run is not None:
            query["run"] = find_run(connection, run)
        elif env is not None:
            query["env"] = find_choice(connection.get("/environments"), env, "environment", "rlviz environments")["id"]
        _open_page(connection, "/play", query, opens, as_json)


def _frame(connection: Connection, run_id: str, evaluation_id: str, episode: int, step: int) -> int:
    """Return the frame of a step in the evaluation's video. Raises Failure for an unknown episode or step."""
    evaluations: list[dict[str, Any]] = connection.get(f"/runs/{run_id}/evaluations")
    found = next((one for one in evaluations if one["id"] == evaluation_id), None)
    if found is None:
        raise Failure(Exit.NOT_FOUND, f"{run_id} has no evaluation {evaluation_id[:80]!r}.")
    episodes = (found["summary"] or {}).get("episodes", [])
    if episode >= len(episodes):
        raise Failure(
            Exit.NOT_FOUND, f"{evaluation_id} has no episode {episode}: it has {len(episodes)}, counted from 0."
        )
    length = episodes[episode]["episode_length"]
    if step > length:
        raise Failure(Exit.NOT_FOUND, f"Episode {episode} has no step {step}: it has {length}, counted from 0.")
    return int(episodes[episode]["first_frame"]) + step


def _open_page(connection: Connection, page: str, query: dict[str, str], opens: bool, as_json: bool) -> None:
    """Open a page. If only this command serves it, keep serving until Ctrl-C."""
    address = connection.url + page + (f"?{urlencode(query)}" if query else "")
    if as_json:
        print_json({"url": address})
    else:
        say(address)
    if opens:
        import webbrowser

        if not webbrowser.open(address):
            note("No browser could be opened. Open the address yourself.")
    if connection.is_own and not as_json:
        note("This command serves the page until Ctrl-C. `rlviz serve` keeps a service running.")
        while True:
            time.sleep(1)
