"""Commands on experiments: list, show, stop, resume, export, keep, delete. ``start_experiments`` has ``run``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from rlviz.cli.commands import start_experiments
from rlviz.cli.commands.start_experiments import Follow, Wait
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.follow import attend_experiment, by_variant, cause_lines, follow_experiment, progress_text, trial_text
from rlviz.cli.options import (
    AsJson,
    ExperimentName,
    WrittenAsJson,
    Yes,
    ask_first,
    connected,
    examples,
    find_experiment,
)
from rlviz.cli.output import answer_bytes, duration, is_terminal, note, print_json, print_table, say, score_text
from rlviz.domain.export_formats import ReportFormat
from rlviz.domain.plain_text import one_line
from rlviz.stats.number_text import interval_text, share_text
from rlviz.stats.returns import best_first


class Score(StrEnum):
    TRIAL = "trial"
    TRAINING = "training"
    BEST = "best"


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Train several seeds of each variant and compare them.", no_args_is_help=True)
    group.command(
        epilog=examples("rlviz experiment run ppo-or-dqn.yaml --follow", "rlviz experiment run search.toml --wait")
    )(start_experiments.run)
    group.command("list", epilog=examples("rlviz experiment list", "rlviz experiment list --json"))(list_)
    group.command(epilog=examples("rlviz experiment show last", "rlviz experiment show last --follow"))(show)
    group.command(epilog=examples("rlviz experiment stop last"))(stop)
    group.command(epilog=examples("rlviz experiment resume last --follow"))(resume)
    group.command(
        epilog=examples(
            "rlviz experiment export last --output scores.csv",
            "rlviz experiment export last --output report.html",
            "rlviz experiment export last --format latex",
        )
    )(export)
    group.command(epilog=examples("rlviz experiment keep last trial-7 'Pendulum, found'"))(keep)
    group.command(epilog=examples("rlviz experiment delete last"))(delete)
    app.add_typer(group, name="experiment")


def list_(context: typer.Context, as_json: AsJson = False) -> None:
    """List experiments, the newest first."""
    with connected(context) as connection:
        found = connection.get("/experiments", limit=500)
        while found["next_cursor"] is not None:
            more = connection.get("/experiments", limit=500, cursor=found["next_cursor"])
            found = {**more, "experiments": found["experiments"] + more["experiments"]}
    if as_json:
        print_json(found)
        return
    if not found["experiments"]:
        say("No experiment yet. Start one with `rlviz experiment run FILE`.")
    else:
        header = ("EXPERIMENT", "STATUS", "SCORED", "LEFT", "CORE-SECONDS", "NAME")
        print_table(header, (_row(one) for one in found["experiments"]), keep=3)
    for experiment_id, problem in found["damaged"].items():
        note(f"{experiment_id} cannot be read: {problem}")


def show(context: typer.Context, experiment: ExperimentName, follow: Follow = False, as_json: AsJson = False) -> None:
    """Show the progress and the results of an experiment."""
    with connected(context) as connection:
        experiment_id = find_experiment(connection, experiment)
        if follow and not as_json:
            follow_experiment(connection, experiment_id)
        found = connection.get(f"/experiments/{experiment_id}")
        if as_json:
            print_json(found)
            return
        say(one_line(f"{found['id']}  {found['name']}"))
        say(f"{found['status']} · {progress_text(found)}")
        if said := found["problem"] or found["cause"]:
            say(said)
        if found["hint_test"]:
            say(f"Test of the hint “{found['hint_test']['title']}”: {found['hint_test']['sentence']}")
        say()
        if found["searches"]:
            _show_search(connection.get(f"/experiments/{experiment_id}/search"))
        else:
            _show_results(found, connection.get(f"/experiments/{experiment_id}/results"))
        for line in cause_lines(found):
            say(line)


def stop(context: typer.Context, experiment: ExperimentName, as_json: AsJson = False) -> None:
    """Stop an experiment: start no more trials and pause its runs."""
    with connected(context) as connection:
        stopped = connection.post(f"/experiments/{find_experiment(connection, experiment)}/stop")
    if as_json:
        print_json(stopped)
    else:
        say(f"{stopped['id']} {stopped['status']}: {progress_text(stopped)}")


def resume(
    context: typer.Context,
    experiment: ExperimentName,
    follow: Follow = False,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Resume a stopped experiment; each run continues where it was."""
    with connected(context, starts_many_runs=True) as connection:
        resumed = connection.post(f"/experiments/{find_experiment(connection, experiment)}/resume")
        attend_experiment(connection, resumed, follow, wait, as_json)


def export(
    context: typer.Context,
    experiment: ExperimentName,
    format_: Annotated[
        ReportFormat | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="Format of the file: json, csv, parquet, markdown, latex or html.",
            show_default="from the file's extension, or csv",
        ),
    ] = None,
    score: Annotated[
        Score, typer.Option(help="Score of a trial: new episodes, the last 100 of training, or the best policy.")
    ] = Score.TRIAL,
    threshold: Annotated[float | None, typer.Option(help="Return to reach.", show_default="the environment's")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write or replace. Links are followed; devices and pipes work too.",
            show_default="printed",
        ),
    ] = None,
    as_json: WrittenAsJson = False,
) -> None:
    """Export the trials (csv, json, parquet), the variants (markdown, latex), or the whole report (html)."""
    from rlviz.cli import files

    if as_json and output is None:
        raise Failure(
            Exit.BAD_INPUT, "--json reports what was written and needs --output. Use `--format json` to print trials."
        )
    chosen = files.choose_format(ReportFormat, format_, output)
    files.check_target(chosen, output, is_terminal())
    with connected(context) as connection:
        path = f"/experiments/{find_experiment(connection, experiment)}"
        query = {"score": score.value, **({} if threshold is None else {"threshold": threshold})}
        if chosen is ReportFormat.HTML:
            content = connection.request("GET", f"{path}/report", params=query).content
        else:
            content = connection.request("GET", f"{path}/export", params={**query, "format": chosen.value}).content
    if output is None:
        answer_bytes().write(content)
        return
    files.replace_file(output, lambda file: file.write(content))
    files.say_written(output, as_json)


def keep(
    context: typer.Context,
    experiment: ExperimentName,
    variant: Annotated[
        str, typer.Argument(metavar="VARIANT", help="Id of the variant, such as `trial-7`, or its label.")
    ],
    title: Annotated[str, typer.Argument(metavar="TITLE", help="Title of the preset.")],
    as_json: AsJson = False,
) -> None:
    """Save a variant, or a trial of a search, as one of your presets, with its measured results."""
    with connected(context) as connection:
        experiment_id = find_experiment(connection, experiment)
        variants = connection.get(f"/experiments/{experiment_id}")["variants"]
        meant = next((one["id"] for one in variants if one["label"].lower() == variant.lower()), variant)
        kept = connection.post(f"/experiments/{experiment_id}/keep-as-preset", {"variant": meant, "title": title})
    if as_json:
        print_json(kept)
    else:
        say(f"{kept['id']}: `rlviz run --env {kept['environment']} --algo {kept['algorithm']} --preset {kept['id']}`")


def delete(
    context: typer.Context,
    experiment: ExperimentName,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete an experiment and its scores for good. Its runs are stopped but not deleted."""
    with connected(context) as connection:
        experiment_id = find_experiment(connection, experiment)
        ask_first(f"Delete {experiment_id} with its scores for good?", yes)
        connection.request("DELETE", f"/experiments/{experiment_id}")
    if as_json:
        print_json({"deleted": experiment_id})
    else:
        say(f"{experiment_id} is deleted. Its runs are still there.")


def _row(experiment: dict[str, Any]) -> tuple[str, ...]:
    scored = experiment["counts"].get("scored", 0)
    return (
        experiment["id"],
        experiment["status"],
        f"{scored}/{experiment['trials']}",
        duration(experiment["seconds_left"]),
        f"{experiment['core_seconds']:.0f}",
        experiment["name"],
    )


def _show_results(experiment: dict[str, Any], results: dict[str, Any]) -> None:
    """Print each variant with its interval and trials, the best first, and then the verdict."""
    scores = {one["label"]: one for one in results["variants"]}
    rows = []
    for label, cells in best_first(by_variant(experiment), lambda row: scores.get(row[0], {}).get("rank")):
        found = scores.get(label, {"iqm": None, "low": None, "high": None})
        interval = "–" if found["iqm"] is None else interval_text(found["low"], found["high"])
        rows.append((label, score_text(found["iqm"]), interval, "  ".join(trial_text(cell) for cell in cells)))
    print_table(("VARIANT", "IQM", "95 % INTERVAL", "SEEDS"), rows, keep=2)
    say()
    if results["across"] is not None and results["across"]["methods"]:
        _show_methods(results["across"])
    say(results["verdict"]["headline"])


def _show_methods(across: dict[str, Any]) -> None:
    """Print the normalised scores of each method over all environments."""
    rows = [
        (one["label"], score_text(one["iqm"]), interval_text(one["low"], one["high"]), str(one["n"]))
        for one in best_first(across["methods"], lambda one: one["rank"])
    ]
    print_table(("OVER ENVIRONMENTS", "IQM", "95 % INTERVAL", "SCORES"), rows, keep=2)
    for one in across["environments"]:
        chance, threshold = score_text(one["random_return"]), score_text(one["threshold"])
        say(
            f"{one['environment']}: 0 is the mean return of random actions ({chance}), 1 is the threshold "
            f"({threshold})."
        )
    for sentence in across["left_out"]:
        say(sentence)
    say()


def _show_search(search: dict[str, Any]) -> None:
    """Print each trial with its values, mark the best, and print the importance of the hyperparameters."""
    best = search["best"]["number"] if search["best"] else None
    names = [one["name"] for one in search["coordinates"]["axes"]]
    rows = [
        (
            one["variant"] + ("  best" if one["number"] == best else ""),
            one["state"],
            score_text(one["objective"]),
            *(_value(one["values"].get(name)) for name in names),
        )
        for one in search["trials"]
    ]
    print_table(("TRIAL", "STATE", "OBJECTIVE", *(name.upper() for name in names)), rows, keep=3)
    if search["importances"]:
        shares = ", ".join(f"{one['name']} {share_text(one['share'])}" for one in search["importances"])
        say(f"\nImportance (PED-ANOVA): {shares}")
    if search["caution"]:
        say(search["caution"])


def _value(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value or "–")
