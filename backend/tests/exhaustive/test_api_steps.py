"""Each format of exported step records."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from rlviz.domain.evaluation import EpisodeResult, EvaluationRecord, EvaluationStatus
from rlviz.learning.playing.summary import summarize
from rlviz.rundir.folder import RunFolder
from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving
from tests.support.step_files import EVALUATION_ID, RUN_ID, about, pole_rows, row, write

BARE = "eval_20261121-014312-002"


BROKEN = "eval_20261121-014312-003"


LONG = "eval_20261121-014312-004"


TORQUES = "eval_20261121-014312-005"


STEPS = f"/api/runs/{RUN_ID}/evaluations/{{}}/steps"


EXPORT = f"/api/runs/{RUN_ID}/evaluations/{{}}/export"


def evaluated(folder: RunFolder, evaluation_id: str) -> None:
    result = EpisodeResult(
        index=1, episode_return=1, episode_length=1, terminated=True, truncated=False, seed=40, first_frame=0
    )
    folder.evaluations.write(
        EvaluationRecord(
            id=evaluation_id,
            run_id=folder.run_id,
            status=EvaluationStatus.COMPLETED,
            created_at=datetime(2026, 11, 21, tzinfo=UTC),
            summary=summarize([result], None),
        )
    )


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    place = tmp_path_factory.mktemp("steps")
    folder = make_run(place / "runs", RUN_ID, rows=10, status="completed")
    for evaluation_id in (EVALUATION_ID, BARE, BROKEN, LONG, TORQUES):
        evaluated(folder, evaluation_id)
    said = about()
    write(folder.evaluations.steps_path(EVALUATION_ID), said, pole_rows(said))
    torques = about(acts=spaces.Box(np.array([-2, -np.inf]), np.array([2, np.inf]), dtype=np.float64), actions=())
    write(folder.evaluations.steps_path(TORQUES), torques, [row(torques, 0, 0, [0.0, 0.0])])
    write(folder.evaluations.steps_path(LONG), said, pole_rows(said, episodes=1, steps=10_000))
    content = bytearray(folder.evaluations.steps_path(EVALUATION_ID).read_bytes())
    content[4:400] = bytes(396)
    folder.evaluations.steps_path(BROKEN).write_bytes(content)
    with serving(place, launcher="scripted") as running:
        yield running


def steps(service: Service, evaluation_id: str = EVALUATION_ID, **query: Any) -> dict[str, Any]:
    answer = service.http.get(STEPS.format(evaluation_id), params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_exports_are_files_of_their_kind(service: Service) -> None:
    def export(kind: str, **wanted: Any) -> bytes:
        answer = service.http.get(EXPORT.format(EVALUATION_ID), params={"format": kind, **wanted})
        assert answer.status_code == 200
        assert "attachment" in answer.headers["Content-Disposition"]
        return answer.content

    assert [json.loads(line)["index"] for line in export("ndjson").splitlines()] == [0, 1, 2, 3] * 2
    assert export("csv").decode().splitlines()[0].startswith("episode,index,observation.pole angle [rad]")
    assert export("parquet") == RunFolder(service.runs_dir, RUN_ID).evaluations.steps_path(EVALUATION_ID).read_bytes()
    with zipfile.ZipFile(io.BytesIO(export("minari", episode=1))) as folder:
        [metadata] = [name for name in folder.namelist() if name.endswith("/data/metadata.json")]
        assert json.loads(folder.read(metadata))["total_episodes"] == 1
