"""Shell completion of names, read from the runs folder without a service."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import typer

NEWEST = "last"

_TAIL_BYTES = 200_000
"""Bytes to read at the end of a metrics journal to find metric names."""


def _complete_quietly(complete: Callable[[Any, str], Iterable[str]]) -> Callable[[Any, str], list[str]]:
    """Return a completer that suggests nothing instead of raising an error."""

    def completed(context: typer.Context, incomplete: str) -> list[str]:
        try:
            return [name for name in complete(context, incomplete) if name.startswith(incomplete)]
        except Exception:
            return []

    return completed


def _runs(context: typer.Context, incomplete: str) -> list[str]:
    from glob import escape

    return _names_of(_runs_dir(context).glob(f"{escape(incomplete)}*/config.json"))


def _experiments(context: typer.Context, incomplete: str) -> list[str]:
    from glob import escape

    return _names_of(_runs_dir(context).glob(f"experiments/{escape(incomplete)}*/experiment.json"))


def _deleted(context: typer.Context, _incomplete: str) -> list[str]:
    from rlviz.rundir.trash import Trash

    return Trash(_runs_dir(context)).run_ids()


def _environments(_context: typer.Context, _incomplete: str) -> Iterable[str]:
    from rlviz.learning.environments import ENVIRONMENTS

    return ENVIRONMENTS.names()


def _algorithms(_context: typer.Context, _incomplete: str) -> Iterable[str]:
    from rlviz.learning.algorithms import ALGORITHMS

    return ALGORITHMS.names()


def _presets(context: typer.Context, _incomplete: str) -> list[str]:
    from rlviz.domain.presets import PresetId
    from rlviz.domain.recommended import RECOMMENDED

    own = sorted(path.stem for path in (_runs_dir(context) / "presets").glob("*.json"))
    return [RECOMMENDED, "none", *PresetId, *own]


def _evaluations(context: typer.Context, _incomplete: str) -> list[str]:
    names = (path.stem for path in (_run(context) / "eval").glob("eval_*.json"))
    return [NEWEST, *sorted(name for name in names if "." not in name)]


def _snapshots(context: typer.Context, _incomplete: str) -> list[str]:
    return sorted(path.stem for path in (_run(context) / "snapshots").glob("*.zip"))


def _metrics(context: typer.Context, _incomplete: str) -> list[str]:
    """Return the metrics in the newest rows; early rows have only episode metrics."""
    import json

    names: set[str] = set()
    with (_run(context) / "metrics.jsonl").open("rb") as file:
        file.seek(max(file.seek(0, 2) - _TAIL_BYTES, 0))
        for line in file.read().splitlines()[1:]:
            names.update(json.loads(line)["values"])
    return sorted(names)


def _tags(context: typer.Context, _incomplete: str) -> list[str]:
    import json

    return sorted(json.loads((_run(context) / "labels.json").read_text("utf-8"))["tags"])


def _runs_dir(context: typer.Context) -> Path:
    from rlviz.cli.options import read_settings

    return read_settings(context).runs_dir


def _run(context: typer.Context) -> Path:
    """Return the folder of the run that is already on the command line."""
    text = (context.params.get("run") or NEWEST) if context is not None else NEWEST
    folders = {path.parent.name: path.parent for path in _runs_dir(context).glob("*/config.json")}
    if text == NEWEST:
        return max(folders.values(), key=lambda path: path.stat().st_ctime)
    meant = [name for name in folders if name.startswith(text) or name.endswith(text)]
    return folders[text] if text in folders else folders[meant[0]]


def _names_of(files: Iterable[Path]) -> list[str]:
    """Return the names of the folders that contain ``files``, without internal ones, which start with a dot."""
    return [NEWEST, *sorted(path.parent.name for path in files if not path.parent.name.startswith("."))]


complete_run = _complete_quietly(_runs)
complete_experiment = _complete_quietly(_experiments)
complete_deleted_run = _complete_quietly(_deleted)
complete_environment = _complete_quietly(_environments)
complete_algorithm = _complete_quietly(_algorithms)
complete_preset = _complete_quietly(_presets)
complete_evaluation = _complete_quietly(_evaluations)
complete_snapshot = _complete_quietly(_snapshots)
complete_metric = _complete_quietly(_metrics)
complete_tag = _complete_quietly(_tags)
