"""An index of the commands with their files and summaries, so that ``rlviz --help`` imports none of them.

A test compares the summaries with the commands' docstrings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.main import get_group

from rlviz.cli.help import fit_help


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
        "resume": Entry("train", "Resume a paused, stopped or interrupted run. A completed run trains for longer."),
        "fork": Entry("train", "Create a run that continues from a step of another run. Its settings can differ."),
        "set": Entry(
            "knobs", "Change hyperparameters of a run while it trains. Without changes, show which ones can be changed."
        ),
        "rules": Entry("rules", "Rules that act on a run automatically."),
        "snapshot": Entry("snapshots", "Complete training states, to resume bit for bit."),
    },
    "Inspect": {
        "runs": Entry("show_runs", "List runs, the newest first."),
        "status": Entry("show_runs", "Show the state of a run, or of the service."),
        "logs": Entry("show_runs", "Show the events of a run, oldest first."),
        "metrics": Entry(
            "show_runs", "Show the newest value of each metric of a run. With names of metrics, show their curves."
        ),
        "compare": Entry(
            "compare",
            "Compare the results and settings of runs. The command also tells which run is better, if the data show "
            "it.",
        ),
        "hints": Entry("insight", "Show problems in a run's curves, with advice, or test whether a hint helps."),
        "family": Entry("insight", "Show the tree of forks that a run belongs to."),
        "query": Entry(
            "query",
            "Query all runs in SQL (DuckDB). A query can only read, and stops after ten seconds.",
        ),
    },
    "Evaluate and watch": {
        "evaluate": Entry("evaluations", "Play new episodes with a run's policy."),
        "evaluations": Entry("evaluations", "List the evaluations of a run."),
        "actions": Entry("evaluations", "Show the steps of an evaluation: observations and actions."),
        "verify": Entry(
            "evaluations", "Replay an evaluation and compare every step. Exit status 1 if it is not identical."
        ),
        "recording": Entry(
            "recording",
            "Choose how much of a run is recorded. This works while it trains. Without DETAIL, show the "
            "current choice and its cost.",
        ),
        "episodes": Entry("insight", "Search the evaluated episodes of runs."),
        "film": Entry("film", "Saved policies of a run, and videos of them."),
        "watch": Entry("pages", "Open a run's page, where its newest policy plays live."),
        "replay": Entry("pages", "Open a run's page to play back an evaluation step by step."),
        "play": Entry("pages", "Open the page to play an environment with the keyboard."),
    },
    "Experiments": {
        "experiment": Entry("experiments", "Train several seeds of each variant and compare them."),
        "sweep": Entry(
            "start_experiments",
            "Search for good hyperparameters with Optuna. A sweep is an experiment whose variants Optuna proposes.",
        ),
    },
    "Choices": {
        "environments": Entry(
            "choices", "List the environments, or describe one. A description includes spaces, algorithms and presets."
        ),
        "algorithms": Entry("choices", "List the algorithms, or show the hyperparameters of one."),
        "preset": Entry("presets", "Your own presets, saved from experiments."),
    },
    "Organise": {
        "queue": Entry("queue", "Show the queued runs in the order in which they start, or move one."),
        "edit": Entry("run_actions", "Change a run's name, tags or notes. Without options, show its notes."),
        "delete": Entry("run_actions", "Move runs to the trash. `rlviz restore` restores them within some days."),
        "restore": Entry("run_actions", "Restore a deleted run from the trash."),
        "trash": Entry("trash", "Deleted runs, which you can restore for some days."),
        "repair": Entry("run_actions", "Repair a damaged run: keep the readable parts and rename each damaged file."),
    },
    "Exchange": {
        "export": Entry(
            "export",
            "Export metrics or configurations of runs, or whole runs. Formats are CSV, JSON, Parquet and "
            "TensorBoard event files; a bundle contains a whole run.",
        ),
        "report": Entry(
            "report",
            "Write a run as one HTML file to send to others. It opens in any browser, also without a network.",
        ),
        "import": Entry(
            "imports",
            "Import runs from a bundle, or from the logs of other tools.",
        ),
        "trust": Entry(
            "trust",
            "Allow code from elsewhere to run on this machine. It can be the code of a run, of a folder's settings, "
            "or of all runs.",
        ),
        "sync": Entry(
            "sync",
            "Send sinks the data that they have not received yet. Sinks are Weights & Biases, MLflow, Trackio and "
            "TensorBoard.",
        ),
        "sinks": Entry("sinks", "Programs that receive a run's data while it trains."),
        "ingest": Entry(
            "ingest", "Copy runs that have ended into a PostgreSQL database. Several machines can share it."
        ),
    },
    "Maintain": {
        "serve": Entry("service", "Serve the app until interrupted."),
        "doctor": Entry(
            "maintenance",
            "Check this machine and the runs folder for problems. Exit status 1 if something does not work.",
        ),
        "config": Entry("configuration", "Settings with their sources; configuration files of runs."),
        "storage": Entry("storage", "Disk use, quotas, and the rules that free space."),
        "prune": Entry(
            "maintenance",
            "Empty the trash and apply the storage rules. The command first shows what takes space. Nothing else is "
            "removed.",
        ),
        "rebuild": Entry("service", "Rebuild the catalogue from the run folders. No service may be running."),
        "catalog": Entry("catalogue", "Check, upgrade, downgrade or optimize the catalogue file."),
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
    return dict(fit_help(get_group(group)).commands)
