"""Export and import of all runs of an experiment."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np

from rlviz.domain.export_formats import RunsFormat
from rlviz.exchange.import_runs import ImportOptions, import_path
from rlviz.rundir.folder import RunFolder
from tests.scripted.test_cli_experiments import warm
from tests.support.cli import call
from tests.support.service_process import Service
from tests.support.training import curves

__all__ = ["warm"]


def test_an_experiments_runs_are_exported_together_and_imported_unchanged(warm: Service, tmp_path: Path) -> None:
    shown = call(warm.runs_dir, "experiment", "show", "Slow or fast", "--json").json
    run_ids = {cell["run_id"] for cell in shown["cells"]}
    for form in RunsFormat:
        target = tmp_path / form
        how = ("--bundle",) if form is RunsFormat.BUNDLE else ("--format", form)
        done = call(warm.runs_dir, "export", "--experiment", "Slow or fast", *how, "-o", str(target))
        assert done.status == 0, done.err
        assert {path.stem for path in target.iterdir()} - {"runs"} == run_ids
        brought = import_path(target, tmp_path / f"from-{form}", ImportOptions(again=True))
        assert sorted(map(drawn, brought.runs)) == sorted(drawn(warm.folder(run_id)) for run_id in run_ids)
    page = warm.api("GET", "/export", params={"experiment": shown["id"], "format": "csv"})
    with zipfile.ZipFile(io.BytesIO(page.content)) as archive:
        assert {name.split("/")[1] for name in archive.namelist() if name.endswith("metrics.csv")} == run_ids
    delivered = call(warm.runs_dir, "export", "--experiment", "Slow or fast", "--to", "tensorboard", "--json")
    assert {one["run"]: one["delivered"] for one in delivered.json} == dict.fromkeys(run_ids, True)


def drawn(folder: RunFolder) -> list[tuple[int, list[tuple[str, float]]]]:
    """Return its curves rounded to 32 bits as in TensorBoard."""
    rows = [
        (step, sorted((name, float(np.float32(value))) for name, value in values.items() if value is not None))
        for step, values in curves(folder)
    ]
    return [(step, values) for step, values in rows if values]
