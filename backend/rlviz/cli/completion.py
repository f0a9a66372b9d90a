"""What the shell completes: names as far as they can be read without a service."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import typer

NEWEST = "last"

_TAIL_BYTES = 200_000
"""Bytes at the end of a metrics journal in which its metrics are looked for."""


def _quietly(complete: Callable[[Any, str], Iterable[str]]) -> Callable[[Any, str], list[str]]:
    """Whatever is wrong, pressing Tab is not the moment to say it."""

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
    """Of the newest rows: early ones have episodes alone."""
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
    """The folder of the run that was typed before."""
    text = (context.params.get("run") or NEWEST) if context is not None else NEWEST
    folders = {path.parent.name: path.parent for path in _runs_dir(context).glob("*/config.json")}
    if text == NEWEST:
        return max(folders.values(), key=lambda path: path.stat().st_ctime)
    meant = [name for name in folders if name.startswith(text) or name.endswith(text)]
    return folders[text] if text in folders else folders[meant[0]]


def _names_of(files: Iterable[Path]) -> list[str]:
    """The folders that the files lie in; those of the product's own have a dot in front."""
    return [NEWEST, *sorted(path.parent.name for path in files if not path.parent.name.startswith("."))]


complete_run = _quietly(_runs)
complete_experiment = _quietly(_experiments)
complete_deleted_run = _quietly(_deleted)
complete_environment = _quietly(_environments)
complete_algorithm = _quietly(_algorithms)
complete_preset = _quietly(_presets)
complete_evaluation = _quietly(_evaluations)
complete_snapshot = _quietly(_snapshots)
complete_metric = _quietly(_metrics)
complete_tag = _quietly(_tags)
