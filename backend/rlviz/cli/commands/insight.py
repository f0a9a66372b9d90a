"""Commands that analyse runs: hints, episodes, family."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

import typer

from rlviz.cli.connection import Connection
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.follow import attend_experiment
from rlviz.cli.options import AsJson, RunName, RunNames, Yes, ask_first, connected, examples, find_run
from rlviz.cli.output import counted, duration, note, number, print_json, print_table, say
from rlviz.stats.number_text import join_words, share_text


def register(app: typer.Typer) -> None:
    app.command(
        epilog=examples(
            "rlviz hints last",
            "rlviz hints last --json",
            "rlviz hints last --test kl-spikes --follow",
        )
    )(hints)
    app.command(
        epilog=examples(
            "rlviz episodes last --sort -return --limit 5",
            "rlviz episodes last --where 'return < 100'",
            "rlviz episodes last --endings",
        )
    )(episodes)
    app.command(epilog=examples("rlviz family last"))(family)


def hints(
    context: typer.Context,
    run: RunName,
    test: Annotated[
        str | None,
        typer.Option(
            metavar="KIND", help="Test this hint: train three seeds without and with its change, as an experiment."
        ),
    ] = None,
    change: Annotated[
        str | None,
        typer.Option(
            help="Hyperparameter to change in the test.", show_default="the one that helped most, or the first"
        ),
    ] = None,
    yes: Yes = False,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Follow the test until it ends.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the test ends; exit status 1 if it failed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show problems in a run's curves, with advice, or test whether a hint helps.

    The most severe problem comes first; outcomes of earlier tests can change the order.
    """
    if test is None and change is not None:
        raise Failure(Exit.BAD_INPUT, "--change belongs to --test, which names the hint.")
    with connected(context, starts_many_runs=test is not None) as connection:
        run_id = find_run(connection, run)
        if test is not None:
            _test_hint(connection, run_id, test, change, yes=yes, follow=follow, wait=wait, as_json=as_json)
            return
        found = connection.get(f"/runs/{run_id}/hints")
    if as_json:
        print_json(found)
        return
    for hint in found["hints"]:
        say(f"{hint['severity']}: {hint['title']} (step {hint['from_step']} to {hint['to_step']})")
        for line in (hint["evidence"], hint["suggestion"], hint["record"]):
            if line is not None:
                say(f"  {line}")
        for tested in hint["tests"]:
            say(f"  {tested['sentence']} ({tested['experiment_id']})")
        if hint["testable"]:
            say(f"  Test it with `rlviz hints {run} --test {hint['id']}`.")
    if not found["hints"]:
        say(f"No problem found. {len(found['rules'])} patterns were checked.")


def _test_hint(
    connection: Connection,
    run_id: str,
    kind: str,
    change: str | None,
    *,
    yes: bool,
    follow: bool,
    wait: bool,
    as_json: bool,
) -> None:
    """Say what a test trains, ask for confirmation, start it, and tell its outcome once it has ended."""
    path = f"/runs/{run_id}/hints/{quote(kind, safe='')}/test"
    plan = connection.get(path, **({} if change is None else {"change": change}))
    name, value = plan["change"]["name"], plan["change"]["value"]
    note(f"Test of “{plan['title']}”: {name} {_plain(value)} instead of {_plain(plan['before'])}.")
    start = (
        "New runs from the beginning."
        if plan["fork"] is None
        else f"Forks of the run at the snapshot of step {plan['fork']['step']:,}."
    )
    note(f"{start} {plan['why_new'] or ''}".strip())
    seeds = join_words([str(seed) for seed in plan["seeds"]])
    note(
        f"{plan['runs']} runs of {plan['steps']:,} steps: seeds {seeds}, each without and with the change. A score is "
        f"the mean return in {plan['episodes']} new episodes."
    )
    for line in (plan["length_note"], *plan["notes"]):
        if line:
            note(line)
    takes = "for an unknown time" if plan["seconds"] is None else f"for about {duration(plan['seconds'])}"
    if plan["running"] is None:
        ask_first(f"Train {plan['runs']} runs {takes}, {plan['parallel']} at a time?", yes)
    experiment = connection.post(path, {"change": name})
    attend_experiment(connection, experiment, follow, wait, as_json)
    if not as_json:
        found = connection.get(f"/experiments/{experiment['id']}")
        say(found["hint_test"]["sentence"])


def episodes(
    context: typer.Context,
    runs: RunNames,
    where: Annotated[str | None, typer.Option(help="Condition on episodes, for instance 'return < 100'.")] = None,
    sort: Annotated[
        str | None, typer.Option(help="Column to sort by; a minus in front sorts in descending order.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of episodes.")] = 20,
    endings: Annotated[bool, typer.Option("--endings", help="Instead, show in which ways the episodes end.")] = False,
    as_json: AsJson = False,
) -> None:
    """Search the evaluated episodes of runs."""
    with connected(context) as connection:
        run_ids = ",".join(find_run(connection, run) for run in runs)
        if endings:
            found = connection.get("/episodes/endings", runs=run_ids)
        else:
            found = connection.get("/episodes", runs=run_ids, where=where, sort=sort, limit=limit)
    if as_json:
        print_json(found)
    elif endings:
        _show_endings(found)
    elif not found["evaluations"]:
        say("These runs have no evaluated episodes yet. `rlviz evaluate RUN` plays some.")
    else:
        rows = [_row(one) for one in found["episodes"]]
        print_table(("RETURN", "LENGTH", "EPISODE", "EVALUATION", "POLICY", "RUN"), rows, keep=2)
        within = counted(found["evaluations"], "evaluation")
        say(f"{found['found']:,} of {counted(found['searched'], 'episode')} in {within}.")


def family(context: typer.Context, run: RunName, as_json: AsJson = False) -> None:
    """Show the tree of forks that a run belongs to."""
    with connected(context) as connection:
        found = connection.get(f"/runs/{find_run(connection, run)}/family")
    if as_json:
        print_json(found)
        return
    depths: dict[str, int] = {}
    rows = []
    for one in found["members"]:  # each comes before its forks
        depth = depths[one["run_id"]] = depths.get(one["parent_id"], -1) + 1
        shown = "  " * depth + one["run_id"] + (" (this run)" if one["run_id"] == found["run_id"] else "")
        status = "deleted" if one["deleted"] else one["status"]
        rows.append((shown, status, number(one["forked_at"]), number(one["best_moving_average"]), _changed(one)))
    print_table(("RUN", "STATUS", "FORKED AT", "BEST", "CHANGED"), rows, keep=1)
    if not found["whole"]:
        say("The tree has more runs; these are the nearest and newest.")


def _row(found: dict[str, Any]) -> tuple[str, ...]:
    result = found["result"]
    figures = (number(result["episode_return"]), str(result["episode_length"]), str(result["index"]))
    return (*figures, found["evaluation_id"], number(found["checkpoint_step"]), found["run_id"])


def _show_endings(found: dict[str, Any]) -> None:
    for ending in found["endings"]:
        say(f"{share_text(ending['episodes'] / found['episodes'])}: {ending['title']}")
    without = counted(found["without_records"], "evaluation")
    say(f"{counted(found['episodes'], 'episode')}; {without} without recorded steps.")


def _changed(relative: dict[str, Any]) -> str:
    changed = [f"{one['name']} {_plain(one['before'])} → {_plain(one['after'])}" for one in relative["changes"]]
    return ", ".join(changed) or "–"


def _plain(value: Any) -> str:
    return number(value) if isinstance(value, int | float) else str(value if value is not None else "–")
