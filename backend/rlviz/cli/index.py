"""The commands by name, each with its file and its summary, so that ``rlviz --help`` imports none of them.

A test holds the summaries to what the commands say of themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.main import get_group

from rlviz.cli.help import fit


class Entry(NamedTuple):
    module: str
    """The file in ``rlviz.cli.commands``; its ``register`` adds the command."""
    summary: str


COMMANDS = {
    "run": Entry("train", "Train an agent."),
    "fork": Entry("train", "Begin a new run where another one was, with changed settings."),
    "resume": Entry(
        "train", "Go on with a run that was paused, stopped or interrupted, or train a completed one for longer."
    ),
    "stop": Entry("run_actions", "Stop a run; its policy and a snapshot are saved."),
    "pause": Entry("run_actions", "Pause a run; `rlviz resume` goes on exactly as if nothing had happened."),
    "delete": Entry(
        "run_actions", "Move runs to the trash, from where `rlviz restore` brings them back for some days."
    ),
    "restore": Entry("run_actions", "Bring a deleted run back from the trash."),
    "runs": Entry("show_runs", "List runs, the newest first."),
    "status": Entry("show_runs", "Show how a run is doing, or the service."),
    "logs": Entry("show_runs", "Show what happened to a run: its events, oldest first."),
    "metrics": Entry(
        "show_runs", "Show the newest value of each metric of a run, or the curves of those that are named."
    ),
    "compare": Entry(
        "show_runs", "Compare runs: figures, settings that differ, and which is better, if that can be told."
    ),
    "query": Entry(
        "query",
        "Answer a question over all runs, in SQL (DuckDB's). It can only read, and is stopped after ten seconds.",
    ),
    "evaluate": Entry("evaluations", "Play fresh episodes with a run's policy."),
    "evaluations": Entry("evaluations", "List the evaluations of a run."),
    "actions": Entry("evaluations", "Show what a policy saw and did in an evaluation, step by step."),
    "verify": Entry(
        "evaluations", "Play an evaluation again and compare every step; exit status 1 if it is not identical."
    ),
    "sweep": Entry(
        "start_experiments", "Search the hyperparameters of an algorithm: an experiment whose variants Optuna proposes."
    ),
    "export": Entry(
        "export",
        "Write the metrics of runs, or a configuration, as CSV, JSON, Parquet or event files of TensorBoard; "
        "or all of it.",
    ),
    "import": Entry(
        "imports",
        "Take runs from a bundle, or from what other tools have logged: each of them whole, or not at all.",
    ),
    "sync": Entry(
        "sync", "Deliver what Weights & Biases, MLflow, Trackio or TensorBoard lack of runs that were to go there."
    ),
    "ingest": Entry(
        "ingest", "Put runs that have ended into a PostgreSQL, to be compared with those of other machines."
    ),
    "watch": Entry("pages", "Open the page of a run, where its newest policy plays live."),
    "replay": Entry("pages", "Open the page of a run, where its evaluations are played back step by step."),
    "play": Entry("pages", "Open the page on which an environment is played by keyboard."),
    "serve": Entry("service", "Serve the app until interrupted."),
    "rebuild": Entry("service", "Make the catalogue again from the run folders, while no service runs."),
    "openapi": Entry("service", "Print the API's OpenAPI document."),
    "doctor": Entry(
        "maintenance",
        "Check disk, locks, port, browsers' reach, packages and time; exit status 1 if something keeps it from "
        "working.",
    ),
    "prune": Entry(
        "maintenance", "Tell what takes space, empty the trash, and apply the storage rules. Nothing else is touched."
    ),
    "snapshot": Entry("snapshots", "Everything that training is at a moment, from which it goes on bit for bit."),
    "experiment": Entry("experiments", "Several seeds of each variant, compared fairly."),
    "config": Entry("configuration", "Settings and where each comes from; configurations of runs."),
    "catalog": Entry("catalogue", "The catalogue's file: check, upgrade, downgrade, optimize."),
}
"""In the order of the help."""


class LazyCommands(Mapping[str, Any]):
    """Each command by its name; its file is imported when it is first asked for."""

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded.update(load(COMMANDS[name].module))
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def load(module: str) -> dict[str, Any]:
    """The commands of a file."""
    group = typer.Typer(rich_markup_mode=None)
    import_module(f"rlviz.cli.commands.{module}").register(group)
    return dict(fit(get_group(group)).commands)
