"""Commands that start experiments: ``experiment run`` from a file, and ``sweep`` from an algorithm's suggestions.

Errors in a specification file are reported with file, line and column.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rlviz.cli.connection import Connection
from rlviz.cli.delivering import SINKS
from rlviz.cli.exits import Exit, Failure, Refused
from rlviz.cli.follow import attend_experiment
from rlviz.cli.options import (
    PRESET_HELP,
    AsJson,
    Changes,
    EnvironmentOptions,
    ask_first,
    connected,
    examples,
    parse_pairs,
)
from rlviz.cli.output import counted, note, say
from rlviz.domain.recommended import RECOMMENDED
from rlviz.domain.sinks import SinkKind

if TYPE_CHECKING:
    from rlviz.placed_file import PlacedFile


Follow = Annotated[bool, typer.Option("--follow", "-f", help="Follow its trials until it ends.")]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until it ends; exit status 1 if it failed.")]
Sink = Annotated[
    list[SinkKind] | None,
    typer.Option(metavar=SINKS, help="Send the data of its runs to this program during training; repeatable."),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation, even for many trials.")]


_VARIED = re.compile(
    r"(?P<name>[^=\s]+)=(?:(?P<low>[^.,:]\S*?)\.\.(?P<high>[^:\s]+?)(?P<log>:log)?|(?P<choices>(?!.*\.\.).+))"
)


def register(app: typer.Typer) -> None:
    app.command(
        epilog=examples(
            "rlviz sweep --algo sac --env Pendulum-v1 --steps 5000 --trials 20 --follow",
            "rlviz sweep --algo ppo --only learning_rate --only gamma --seeds-per-trial 3",
            "rlviz sweep --algo ppo --steps 20000 --pruner median --evaluate-every 2000",
            "rlviz sweep --algo dqn --vary learning_rate=1e-5..1e-2:log --vary batch_size=32,64,128",
            "# write the specification to a file, to edit it for `rlviz experiment run`",
            "rlviz sweep --algo ppo --trials 50 --print > search.yaml",
        )
    )(sweep)


def run(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Its specification, in YAML or TOML.")],
    name: Annotated[str | None, typer.Option(help="Its name.", show_default="the file's")] = None,
    sink: Sink = None,
    yes: Yes = False,
    follow: Follow = False,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Train every variant in a file with every seed, and score the policies.

    If the file has errors, they are shown with line and column, and nothing starts. If no service runs, this command
    serves the runs folder until the experiment ends; Ctrl-C stops it, and `rlviz experiment resume` resumes it.
    """
    pass

    specification = read_specification(file)
    values = {**specification.values, **({"name": name} if name is not None else {}), **_delivered_to(sink)}
    with connected(context, starts_many_runs=True) as connection:
        try:
            experiment = create(connection, values, yes)
        except Refused as refused:
            raise locate_errors(refused, specification) from refused
        attend_experiment(connection, experiment, follow, wait, as_json)


def sweep(
    context: typer.Context,
    env: Annotated[str, typer.Option(help="Environment.")] = "CartPole-v1",
    algo: Annotated[str, typer.Option(help="Algorithm.")] = "ppo",
    preset: Annotated[str | None, typer.Option(help=PRESET_HELP)] = RECOMMENDED,
    steps: Annotated[int | None, typer.Option(help="Steps of each run.", show_default="the preset's")] = None,
    trials: Annotated[int, typer.Option(help="Number of trials.")] = 20,
    seeds_per_trial: Annotated[int, typer.Option(help="Runs of each trial, one for each seed.")] = 1,
    only: Annotated[list[str] | None, typer.Option(help="Search only this hyperparameter; repeatable.")] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=RANGE",
            help="Range of a hyperparameter: `1..5`, `1e-5..1e-2:log` or `32,64,128`; repeatable.",
        ),
    ] = None,
    sampler: Annotated[
        str, typer.Option(help="Method that proposes values: tpe, cma-es, gaussian-process, random or grid.")
    ] = "tpe",
    pruner: Annotated[
        str, typer.Option(help="Method that prunes trials: none, median, successive-halving or hyperband.")
    ] = "none",
    evaluate_every: Annotated[
        int | None,
        typer.Option(help="Steps between the evaluations that pruning is based on.", show_default="the preset's"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the sampler.")] = 0,
    parallel: Annotated[
        int | None,
        typer.Option(help=("Maximum number of runs at the same time."), show_default="as many as the service allows"),
    ] = None,
    changes: Changes = None,
    options: EnvironmentOptions = None,
    name: Annotated[str | None, typer.Option(help="Its name.")] = None,
    sink: Sink = None,
    print_: Annotated[bool, typer.Option("--print", help="Print its specification in YAML and start nothing.")] = False,
    yes: Yes = False,
    follow: Follow = False,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Search for good hyperparameters with Optuna. A sweep is an experiment whose variants Optuna proposes.

    By default, it searches the ranges that the algorithm suggests. `--only` restricts the search to some
    hyperparameters, `--vary` sets other ranges.
    """
    with connected(context, starts_many_runs=True) as connection:
        specification: dict[str, Any] = {
            "name": name,
            "base": {
                "algo": algo,
                "env_id": env,
                "preset": preset,
                "total_timesteps": steps,
                "hyperparameters": parse_pairs(changes, "--set"),
                "env_options": parse_pairs(options, "--option"),
                "evaluation": None if evaluate_every is None else {"every_steps": evaluate_every},
            },
            "sweep": {
                "space": _search_space(connection, algo, only, dict(map(_parse_range, vary or ()))),
                "sampler": sampler,
                "pruner": pruner,
                "trials": trials,
                "seeds_per_trial": seeds_per_trial,
                "seed": seed,
            },
            "parallel": parallel,
            **_delivered_to(sink),
        }
        if print_:
            import yaml

            say(yaml.safe_dump(specification, sort_keys=False).rstrip())
            return
        attend_experiment(connection, create(connection, specification, yes), follow, wait, as_json)


def _delivered_to(sinks: list[SinkKind] | None) -> dict[str, Any]:
    return {"sinks": [kind.value for kind in dict.fromkeys(sinks)]} if sinks else {}


def create(connection: Connection, specification: dict[str, Any], yes: bool) -> dict[str, Any]:
    """Start an experiment, after confirmation if the service requires it. Raises Failure."""
    wanted = {**specification, "confirm": True} if yes else specification
    try:
        experiment = dict(connection.post("/experiments", wanted))
    except Refused as refused:
        if [pointer for pointer, _ in refused.fields] != ["/confirm"]:
            raise
        [(_, cost)] = refused.fields
        ask_first(f"{cost} Begin?", yes)
        experiment = dict(connection.post("/experiments", {**specification, "confirm": True}))
    note(size_text(experiment))
    return experiment


def size_text(experiment: dict[str, Any]) -> str:
    """Return the size of an experiment as a line: `6 runs, 98,304 steps in total.`"""
    least, most = experiment["least_timesteps"], experiment["total_timesteps"]
    steps = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    runs = counted(experiment["trials"], "run")
    return " ".join(filter(None, (f"{runs}, {steps} steps in total.", experiment["length_note"])))


def _search_space(
    connection: Connection, algo: str, only: list[str] | None, varied: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Return the search space: the algorithm's suggestions, restricted to ``only`` and updated with ``varied``."""
    found = next((one for one in connection.get("/algorithms") if one["id"] == algo), None)
    if found is None:
        raise Failure(Exit.BAD_INPUT, f"There is no algorithm {algo[:80]!r}.")
    suggested = {one["name"]: one["parameter"] for one in found["search"]} | varied
    unknown = sorted(set(only or ()) - set(suggested))
    if unknown:
        known = ", ".join(suggested) or "nothing"
        raise Failure(
            Exit.BAD_INPUT, f"{algo} suggests nothing to search for {unknown[0]!r}, only for {known}. Use --vary."
        )
    return {name: suggested[name] for name in suggested if not only or name in only or name in varied}


def _parse_range(text: str) -> tuple[str, dict[str, Any]]:
    """Parse ``learning_rate=1e-5..1e-2:log`` into a name and its range. Raises Failure."""
    found = _VARIED.fullmatch(text.strip())
    ends = [_value(found["low"]), _value(found["high"])] if found is not None and found["low"] is not None else []
    if found is None or not all(isinstance(end, int | float) for end in ends):
        raise Failure(
            Exit.BAD_INPUT,
            f"--vary takes NAME=LOW..HIGH, with :log appended for a logarithmic scale, or NAME=A,B,C, not {text!r}.",
        )
    if not ends:
        return found["name"], {"kind": "choice", "choices": [_value(one) for one in found["choices"].split(",")]}
    kind = "int" if all(isinstance(end, int) for end in ends) else "float"
    return found["name"], {"kind": kind, "low": ends[0], "high": ends[1], "log": found["log"] is not None}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def read_specification(path: Path) -> PlacedFile:
    """Read the specification in a file. Raises InvalidRequest or Failure if it has none."""
    from rlviz.placed_file import read_placed_file

    if not path.exists():
        raise Failure(Exit.NOT_FOUND, f"There is no file {path}. docs/experiments.md shows one.")
    file = read_placed_file(path, "experiments")
    if not file.values:
        raise Failure(Exit.BAD_INPUT, f"{path} is empty. docs/experiments.md shows what an experiment needs.")
    _check_json(file, file.values, "")
    return file


def _check_json(file: PlacedFile, value: Any, pointer: str) -> None:
    """Raise Failure for values that JSON cannot hold, such as a date or a number that is not finite."""
    from rlviz.domain.errors import pointer_to

    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            _check_json(file, inner, pointer + pointer_to(str(key)))
        return
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        what = f"{value} is a {type(value).__name__}"
        raise Failure(
            Exit.BAD_INPUT, f"{file.place(pointer)}: {what}. Give text, in quotation marks, or a finite number."
        ) from error


def locate_errors(refused: Refused, file: PlacedFile) -> Failure:
    """Return the service's message about ``file``, each sentence with its line and column."""
    if not refused.fields:
        return refused
    said = {f"{file.place(pointer)}: {_name(pointer)}{reason}": None for pointer, reason in refused.fields}
    return Failure(refused.status, "\n".join(said))


def _name(pointer: str) -> str:
    return f"{pointer.removeprefix('/').replace('/', '.')}: " if pointer else ""
