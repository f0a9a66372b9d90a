"""Every export format of step records."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from rlviz.rundir.folder import RunFolder
from tests.scripted.test_api_steps import EXPORT, service
from tests.support.service_process import Service
from tests.support.step_files import EVALUATION_ID, RUN_ID

__all__ = ["service"]


def test_each_export_is_a_valid_file_of_its_format(service: Service) -> None:
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
