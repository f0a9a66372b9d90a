"""Step records that decompress to more than the available memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus
from rlviz.exchange.bundle import write_bundle
from rlviz.learning.playing.summary import summarize
from rlviz.learning.records.about import METADATA
from rlviz.rundir.folder import RunFolder
from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving
from tests.support.step_files import EVALUATION_ID, RUN_ID, about

MB = 1 << 20


MOST_GROWTH = 150 * MB


pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")


def peak_memory(service: Service) -> int:
    """Return the peak memory of the service's process in bytes."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{service.process.pid}/status").read_text())
    assert found is not None
    return int(found[1]) << 10


def write_bomb(path: Path, rows: int = 130_000_000) -> None:
    """Write step records of very many equal rows."""
    part = 5_000_000
    metadata = {METADATA: about().model_dump_json().encode()}
    zeros = pa.array(np.zeros(part, dtype=np.int64))
    table = pa.table({"episode": zeros, "reward": zeros.cast(pa.float64())})
    table = table.replace_schema_metadata(metadata)
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        writer.add_key_value_metadata(metadata)
        for _ in range(rows // part):
            writer.write_table(table, row_group_size=part)
    assert path.stat().st_size < 4 * MB


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    place = tmp_path_factory.mktemp("bombs")
    folder = make_run(place / "runs", RUN_ID, rows=10, status="completed")
    folder.evaluations.write(
        EvaluationRecord(
            id=EVALUATION_ID,
            run_id=RUN_ID,
            status=EvaluationStatus.COMPLETED,
            created_at=datetime(2026, 11, 21, tzinfo=UTC),
            summary=summarize([], None),
        )
    )
    write_bomb(folder.evaluations.steps_path(EVALUATION_ID))
    with serving(place) as running:
        yield running
        assert "Traceback" not in running.log


@pytest.mark.parametrize("query", ["steps", "steps?where=reward%20%3E%201", "export?format=csv&where=reward%20%3E%201"])
def test_expanding_step_records_are_refused_in_constant_memory(service: Service, query: str) -> None:
    before = peak_memory(service)
    try:
        answer = service.api("GET", f"/runs/{RUN_ID}/evaluations/{EVALUATION_ID}/{query}")
    except httpx.RemoteProtocolError:  # on a busy machine a later piece took too long
        assert query.startswith("export")
        assert "An export ended before its end" in service.log
    else:
        assert answer.status_code in (200, 409), answer.text
        if answer.status_code == 409:
            assert answer.json()["title"] == "Too much to read"
    assert peak_memory(service) - before < MOST_GROWTH
    assert service.api("GET", "/health").status_code == 200


def runs(service: Service) -> list[RunFolder]:
    return [RunFolder.at(path.parent) for path in sorted(service.runs_dir.glob("*/config.json"))]


def test_an_expanding_bundle_is_refused_in_constant_memory(service: Service, tmp_path: Path) -> None:
    folder = make_run(tmp_path, "ppo-cartpole-20261121-044130-3630", rows=10, status="completed")
    with folder.log_path.open("wb") as log:
        log.truncate(600 * MB)
    packed = tmp_path / "run.zip"
    with packed.open("wb") as file:
        write_bundle(folder, file)
    assert packed.stat().st_size < MB
    before = peak_memory(service)
    answer = service.api("POST", "/runs/import", params={"file": "run.zip"}, content=packed.read_bytes())
    assert answer.status_code == 422, answer.text
    assert "far more than its size" in answer.json()["detail"]
    assert peak_memory(service) - before < MOST_GROWTH
    assert [run.run_id for run in runs(service)] == [RUN_ID]
