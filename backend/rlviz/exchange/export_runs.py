"""Several runs as one folder, or as one zip archive of it: in every format that one run can have."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from rlviz.domain.config import RunConfig
from rlviz.exchange.bundle import write_bundle
from rlviz.exchange.tables import TableFormat, of_metrics, of_runs, write_table
from rlviz.exchange.tensorboard import write_event_files
from rlviz.rundir.files import read_small
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import all_rows

_STORED = (".zip", ".parquet")
"""Endings of files that are compressed already."""


class RunsFormat(StrEnum):
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"
    TENSORBOARD = "tensorboard"
    BUNDLE = "bundle"


def write_runs(
    folders: Sequence[RunFolder],
    form: RunsFormat,
    into: Path,
    *,
    policies: bool = True,
    snapshots: bool = False,
    on_progress: Callable[[int], None] = lambda done: None,
) -> dict[str, str]:
    """Write runs into the folder ``into``, which is there and empty: bundles as ``<run id>.zip``, and otherwise a
    folder for each run, with its configuration. With tables goes one of the runs themselves, ``runs``.

    ``policies``, ``snapshots``: of bundles. ``on_progress`` is called with how many are done. Returns the metrics that
    have another name in what was written, and that name. Raises RunFolderError, ArtifactNotFound for a run that is
    deleted meanwhile, and OSError.
    """
    configs: list[RunConfig] = []
    renamed: dict[str, str] = {}
    for done, folder in enumerate(folders):
        on_progress(done)
        folder.check()
        if form is RunsFormat.BUNDLE:
            with (into / f"{folder.run_id}.zip").open("xb") as file:
                write_bundle(folder, file, policies=policies, snapshots=snapshots)
            continue
        configs.append(config := folder.read_config())
        place = into / folder.run_id
        place.mkdir()
        (place / "config.json").write_bytes(read_small(folder.config_path, folder.path))
        if form is RunsFormat.TENSORBOARD:
            renamed |= write_event_files(all_rows(folder), config.model_dump_json(indent=1), place).renamed
        else:
            with (place / f"metrics.{form}").open("xb") as file:
                table = of_metrics(folder)
                write_table(table, TableFormat(form), file)
                renamed |= table.renamed
    if form not in (RunsFormat.BUNDLE, RunsFormat.TENSORBOARD):
        with (into / f"runs.{form}").open("xb") as file:
            write_table(of_runs(configs), TableFormat(form), file)
    on_progress(len(folders))
    return renamed


def zip_folder(folder: Path, name: str, target: BinaryIO) -> None:
    """Everything below ``folder`` as a zip archive with one folder, ``name``. Raises OSError."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                how = zipfile.ZIP_STORED if path.suffix in _STORED else zipfile.ZIP_DEFLATED
                archive.write(path, f"{name}/{path.relative_to(folder).as_posix()}", how)
