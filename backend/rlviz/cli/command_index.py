"""An index of the commands with their files and summaries, so that ``rlviz --help`` imports none of them.

A test compares the summaries with the commands' docstrings.
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


SECTIONS = {
    "Train": {
        "run": Entry("train", "Train an agent."),
        "seeds": Entry("train", "Repeat a run with other seeds, as a group."),
        "start": Entry("run_actions", "Start a run that was created without starting it."),
        "stop": Entry("run_actions", "Stop a run and save its policy and a snapshot."),
        "pause": Entry("run_actions", "Pause a run; `rlviz resume` continues it exactly where it was."),
        "resume": Entry("train", "Resume a paused, stopped or interrupted run, or train a completed one for longer."),
        "fork": Entry("train", "Create a run that continues from a point of another one, with changed settings."),
        "set": Entry(
            "knobs",
            "Change hyperparameters of a run while it trains, from its next rollout on; or show which can be.",
        ),
        "rules": Entry("rules", "What a run does by itself when something happens to it."),
        "snapshot": Entry("snapshots", "Everything that training is at a moment, from which it goes on bit for bit."),
    },
    "Inspect": {
        "runs": Entry("show_runs", "List runs, the newest first."),
        "status": Entry("show_runs", "Show how a run is doing, or the service."),
        "logs": Entry("show_runs", "Show what happened to a run: its events, oldest first."),
        "metrics": Entry(
            "show_runs", "Show the newest value of each metric of a run, or the curves of those that are named."
        ),
        "compare": Entry(
            "compare", "Compare runs: figures, settings that differ, and which is better, if that can be told."
        ),
        "hints": Entry(
            "insight", "Tell what a run's curves look like that one could do something about, the gravest first."
        ),
        "family": Entry("insight", "Show the tree of forks that a run belongs to."),
        "query": Entry(
            "query",
            "Answer a question over all runs, in SQL (DuckDB's). It can only read, and is stopped after ten seconds.",
        ),
    },
    "Evaluate and watch": {
        "evaluate": Entry("evaluations", "Play fresh episodes with a run's policy."),
        "evaluations": Entry("evaluations", "List the evaluations of a run."),
        "actions": Entry("evaluations", "Show what a policy saw and did in an evaluation, step by step."),
        "verify": Entry(
            "evaluations", "Play an evaluation again and compare every step; exit status 1 if it is not identical."
        ),
        "recording": Entry(
            "recording",
            "Choose how much of a run is recorded, also while it trains; or show it, with what that costs.",
        ),
        "episodes": Entry("insight", "Find episodes among all that were evaluated of runs."),
        "film": Entry("film", "Policies along a run's training, and videos of them."),
        "watch": Entry("pages", "Open the page of a run, where its newest policy plays live."),
        "replay": Entry("pages", "Open the page of a run, where an evaluation is played back step by step."),
        "play": Entry("pages", "Open the page on which an environment is played by keyboard."),
    },
    "Experiments": {
        "experiment": Entry("experiments", "Several seeds of each variant, compared fairly."),
        "sweep": Entry(
            "start_experiments",
            "Search the hyperparameters of an algorithm: an experiment whose variants Optuna proposes.",
        ),
    },
    "Choices": {
        "environments": Entry(
            "choices", "List what can be trained on; or what one shows and takes, with its algorithms and presets."
        ),
        "algorithms": Entry(
            "choices", "List what can be trained with; or the hyperparameters of one, with their bounds."
        ),
        "preset": Entry("presets", "Presets of your own, kept from experiments."),
    },
    "Organise": {
        "edit": Entry("run_actions", "Change a run's name, tags or notes; without options, show its notes."),
        "delete": Entry("run_actions", "Move runs to the trash, where `rlviz restore` can restore them for some days."),
        "restore": Entry("run_actions", "Restore a deleted run from the trash."),
        "trash": Entry("trash", "Deleted runs, which can be restored for some days."),
        "repair": Entry("run_actions", "Repair a damaged run: keep what can be read and move the rest aside."),
    },
    "Exchange": {
        "export": Entry(
            "export",
            "Write the metrics of runs, or a configuration, as CSV, JSON, Parquet or event files of TensorBoard; "
            "or all of it.",
        ),
        "import": Entry(
            "imports",
            "Take runs from a bundle, or from what other tools have logged: each of them whole, or not at all.",
        ),
        "trust": Entry(
            "trust",
            "Allow code that came from elsewhere to run here: of a run, of a folder's settings, of all runs.",
        ),
        "sync": Entry(
            "sync", "Deliver what Weights & Biases, MLflow, Trackio or TensorBoard lack of runs that were to go there."
        ),
        "sinks": Entry("sinks", "Other programs that a run is delivered to as it trains."),
        "ingest": Entry(
            "ingest", "Put runs that have ended into a PostgreSQL, to be compared with those of other machines."
        ),
    },
    "Maintain": {
        "serve": Entry("service", "Serve the app until interrupted."),
        "doctor": Entry(
            "maintenance",
            "Check disk, memory, locks, port, browsers' reach, packages, environments, time; exit status 1 if "
            "something does not work.",
        ),
        "config": Entry("configuration", "Settings and where each comes from; configurations of runs."),
        "storage": Entry("storage", "What takes space, and the rules by which room is made."),
        "prune": Entry(
            "maintenance",
            "Tell what takes space, empty the trash, and apply the storage rules. Nothing else is touched.",
        ),
        "rebuild": Entry("service", "Make the catalogue again from the run folders, while no service runs."),
        "catalog": Entry("catalogue", "The catalogue's file: check, upgrade, downgrade, optimize."),
        "openapi": Entry("service", "Print the API's OpenAPI document."),
    },
}
"""The commands in the order of the help."""

COMMANDS = {name: entry for commands in SECTIONS.values() for name, entry in commands.items()}


class LazyCommands(Mapping[str, Any]):
    """Commands by name; the file of a command is imported on first use."""

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
    """Import a file of commands and return them by name."""
    group = typer.Typer(rich_markup_mode=None)
    import_module(f"rlviz.cli.commands.{module}").register(group)
    return dict(fit(get_group(group)).commands)
