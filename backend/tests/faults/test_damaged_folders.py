"""A run folder that is damaged, in whatever way, is that run's concern alone.

Every file of a run folder is harmed in every way, under a service that runs, before one that starts on its catalogue,
and before one that has to make the catalogue again. One service a state holds them all, beside a run that is whole.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from rlviz.domain.evaluation import EvaluationRecord
from rlviz.rundir.folder import Labels, RunFolder
from tests.faults.support import train
from tests.support.http import Service, make_run, serving, streaming, wait_for

pytestmark = [pytest.mark.faults, pytest.mark.timeout(3_600)]

EVALUATION = "eval_20261121-014312-123"
WITNESS = "witness"

Harm = Callable[[Path], None]

FILES = [
    *("config.json", "control.json", "labels.json", "events.jsonl", "metrics.jsonl", "worker.log", "worker.lock"),
    *("model.zip", "best_model.zip", "q_table.json", "anatomy.jsonl", "checkpoints", "eval", f"eval/{EVALUATION}.json"),
]


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def empty(path: Path) -> None:
    path.touch()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def link(path: Path) -> None:
    path.symlink_to(outside_of(path))


def torn(path: Path) -> None:
    path.write_bytes(b'{"seq":1,"time":1795236126.9,"st')


def other_json(path: Path) -> None:
    path.write_bytes(b'[{"seq": "a", "event": {}, "values": 3}, null, 1.5]\n')


def deep_json(path: Path) -> None:
    path.write_bytes(b'{"run_id":' + b"[" * 10_000 + b"]" * 10_000 + b"}\n")


def long_line(path: Path) -> None:
    with path.open("wb") as file:  # a hole: no byte of it is on the disk
        file.truncate(50_000_000)
        file.seek(0, os.SEEK_END)
        file.write(b"\n")


def binary(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 40)


def impossible(path: Path) -> None:
    """What reads like the file it is, but for values that nobody can use."""
    lines = {
        "config.json": [{"run_id": path.parent.name, "algo": "nope", "seed": 10**30, "total_timesteps": -5}],
        "events.jsonl": [
            {"seq": 1, "time": "noon", "event": "started", "step": 0, "data": {}},
            {"seq": 2, "time": 1e300, "event": "finished", "step": 5, "data": {"path": None}},
            {"seq": -3, "time": 1.0, "event": "finished", "step": 5, "data": {"path": None}},
            {"seq": 4, "time": 1.0, "event": "error", "step": 2**63, "data": {"type": 1}},
            {"seq": 5, "time": 1.0, "event": 7, "step": 5, "data": []},
        ],
        "metrics.jsonl": [
            {"seq": 0, "time": 1.0, "step": 1, "values": {"episode/reward": 1.0}},
            {"seq": 1, "time": 1.0, "step": 2**63, "values": {"episode/reward": 1.0, "episode/index": 1e300}},
            {"seq": 9, "time": -5, "step": 1, "values": {"episode/reward": 1.0}},
            {"seq": 2, "time": 1.0, "step": 5, "values": {"episode/reward": 1e308, "episode/index": 1e300}},
            {"seq": 2, "time": 1.0, "step": 4, "values": {"episode/reward": 1e308, "episode/length": -1e308}},
            {"seq": 1, "time": 0.0, "step": 3, "values": {"episode/reward": "much", "train/loss": [1]}},
        ],
    }
    path.write_bytes(b"".join(orjson.dumps(_fit(line)) + b"\n" for line in lines.get(path.name, [{"seq": -1}])))


def _fit(line: dict[str, Any]) -> dict[str, Any]:
    return {name: float(value) if value == 10**30 else value for name, value in line.items()}


HARMS: list[Harm] = [
    *(remove, empty, Path.mkdir, pipe, link, torn, other_json, deep_json, long_line, binary, impossible)
]

ALWAYS_NAMED = {"mkdir", "pipe", "link"}
"""What nobody can take for a file; folders that were replaced by something else are named below."""


def name_of(harm: Harm) -> str:
    return harm.__name__.replace("_", "-")


def outside_of(path: Path) -> Path:
    """A whole folder, or file, elsewhere, of the same kind as what lies at ``path``."""
    runs = next(parent for parent in path.parents if parent.name == "runs")
    found = runs.parent / "elsewhere" / "whole" / path.relative_to(runs).as_posix().split("/", 1)[1]
    return found if found.exists() else runs.parent / "elsewhere" / "whole" / "config.json"


def complete(root: Path, run_id: str) -> RunFolder:
    """A run that has ended, with one of each file that can be written by hand."""
    folder = make_run(root, run_id, rows=20, status="completed")
    folder.write_labels(Labels(name=run_id, tags=["kept"]))
    folder.log_path.write_text("hello\n")
    folder.lock_path.touch()
    folder.q_table_path.write_text("{}")
    folder.anatomy_path.write_text('{"seq":1,"time":1.0,"step":1}\n')
    record = {"id": EVALUATION, "run_id": run_id, "created_at": "2026-11-21T01:43:12Z", "status": "failed"}
    folder.evaluations.write(EvaluationRecord.model_validate(record))
    return folder


CASES = [(file, harm) for file in FILES for harm in HARMS]


def run_of(file: str, harm: Harm) -> str:
    return "".join(c if c.isalnum() else "-" for c in f"{file.removeprefix('eval/eval_')}-{name_of(harm)}".lower())


def harm_all(runs: Path) -> None:
    for file, harm in CASES:
        path = runs / run_of(file, harm) / file
        if harm is not torn or not file.endswith(".jsonl"):
            remove(path)
            harm(path) if harm is not remove else None
        else:
            with path.open("ab") as journal:
                journal.write(b'{"seq":21,"ti')
    (runs / "a-link").symlink_to(runs.parent / "elsewhere" / "whole")
    (runs / "a-file").touch()


def fingerprint(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.stat().st_size) for path in folder.rglob("*")}


def ask_all(service: Service, cases: list[tuple[str, Harm]]) -> None:
    """Every endpoint that looks at the harmed file answers, and none with an error of the service's own."""
    wrong = []
    for file, harm in cases:
        for method, path, body in requests_for(file, run_of(file, harm)):
            try:
                answer = service.api(method, path, json=body)
            except httpx.HTTPError as error:
                wrong.append(f"{method} {path}: {error!r}")
                continue
            if answer.status_code >= 500:
                wrong.append(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
    assert not wrong, "\n".join([*wrong[:40], service.log[-6_000:]])


def requests_for(file: str, run_id: str) -> list[tuple[str, str, Any]]:
    run = f"/runs/{run_id}"
    asked: list[tuple[str, str, Any]] = [
        ("GET", run, None),
        ("GET", f"/compare?runs={WITNESS},{run_id}", None),
        ("GET", f"{run}/artifacts/{file}", None),
        ("POST", f"{run}/stop", None),
        ("POST", f"{run}/start", None),
    ]
    asked += [("GET", f"{run}{path}", None) for path in READERS.get(file.split("/")[0], [])]
    if file != "labels.json":  # which this would write anew
        asked.append(("PATCH", run, {"notes": "asked"}))
    if file != "model.zip":  # with which this would start a process
        asked.append(("POST", f"{run}/evaluations", {"episodes": 1}))
    return asked


READERS = {
    "config.json": ["/config", "/hints"],
    "metrics.jsonl": [
        *("/metrics/rows?tail=100", "/metrics/curves", "/metrics/curves?x=episode&max_points=10", "/metrics", "/hints"),
    ],
    "events.jsonl": ["/events"],
    "anatomy.jsonl": ["/anatomy"],
    "eval": ["/evaluations", "/evaluations/latest"],
}
"""What else reads a file, or a file in that folder."""


def streams_all(service: Service, run_ids: list[str]) -> None:
    """One stream over many runs: each that has ended is told to have, and none keeps the others from it."""
    for first in range(0, len(run_ids), 20):
        some = run_ids[first : first + 20]
        ended: set[str] = set()
        with streaming(service, f"/stream?runs={','.join([WITNESS, *some])}") as stream:
            for event in stream:
                if event.kind == "end":
                    ended.add(event.data["run_id"])
                if ended >= {WITNESS, *some}:
                    break


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("damaged")
    complete(root / "elsewhere", "whole")
    complete(root / "runs", WITNESS)
    for file, harm in CASES:
        complete(root / "runs", run_of(file, harm))
    return root / "runs"


def test_whatever_is_damaged_nothing_else_suffers(runs: Path) -> None:
    run_ids = [run_of(file, harm) for file, harm in CASES]
    outside = fingerprint(runs.parent / "elsewhere")
    with serving(runs.parent) as service:
        before = service.get(f"/runs/{WITNESS}")
        harm_all(runs)
        check(service, run_ids, before)
    with serving(runs.parent) as service:  # on the catalogue as it was left
        check(service, run_ids, before)
        wait_for(lambda: {*NAMED} <= damaged_in_list(service), "damage to be listed")
    (runs / "rlviz.db").unlink()
    with serving(runs.parent) as service:  # which has to make it again
        check(service, run_ids, before)
        assert {*NAMED} <= damaged_in_list(service)
        assert not {run["status"] for run in service.get("/runs?limit=500")["runs"]} & {"queued", "running", "created"}
        assert fingerprint(runs.parent / "elsewhere") == outside
        repair_all(service, run_ids, before)
        delete_all(service, run_ids)
        assert fingerprint(runs.parent / "elsewhere") == outside
        assert "Traceback" not in service.log, service.log[-6_000:]


@pytest.mark.parametrize("harm", [remove, Path.mkdir, pipe], ids=name_of)
def test_a_run_that_trains_while_its_files_are_damaged_ends_with_its_policy_and_nothing_else_suffers(
    tmp_path: Path, harm: Harm
) -> None:
    """A real worker, which has its journals open while something else comes to lie in their place."""
    complete(tmp_path / "runs", WITNESS)
    with serving(tmp_path) as service:
        witness = service.get(f"/runs/{WITNESS}")
        run_id = train(service)
        folder = service.folder(run_id)
        for file in FILES[:7]:
            path = folder.path / file
            remove(path)
            harm(path) if harm is not remove else None
            for request in requests_for(file, run_id):
                if request[1].endswith(("/stop", "/evaluations")):
                    continue
                answer = service.api(request[0], request[1], json=request[2])
                assert answer.status_code < 500, (request, answer.text)
            assert service.get(f"/runs/{run_id}")["status"] == "running"
        assert service.api("POST", f"/runs/{run_id}/stop").status_code == 202
        service.wait_for_status(run_id, "stopped", "interrupted")
        assert folder.model_path.is_file(), "it was asked to stop, and did"
        assert service.get(f"/runs/{WITNESS}") == witness
        assert "Traceback" not in service.log, service.log[-6_000:]


NAMED = {
    run_of(file, harm)
    for file, harm in CASES
    if (name_of(harm) in ALWAYS_NAMED and not (file in ("checkpoints", "eval") and name_of(harm) == "mkdir"))
    or file == "config.json"
}
"""Runs of which it is certain that something is wrong with them."""


def damaged_in_list(service: Service) -> set[str]:
    runs = service.get("/runs?limit=500")["runs"]
    assert all({"file", "line", "problem", "remedy", "newer"} == one.keys() for run in runs for one in run["damage"])
    return {run["id"] for run in runs if run["damage"]}


def check(service: Service, run_ids: list[str], witness: dict[str, Any]) -> None:
    ask_all(service, CASES)
    listed = {run["id"] for run in service.get("/runs?limit=500")["runs"]}
    assert listed >= {WITNESS, *run_ids}
    assert service.api("GET", "/runs/a-link").status_code == 404
    assert service.api("GET", "/runs/a-file").status_code == 404
    streams_all(service, run_ids)
    assert service.get(f"/runs/{WITNESS}") == witness
    assert "Traceback" not in service.log, service.log[-6_000:]


def repair_all(service: Service, run_ids: list[str], witness: dict[str, Any]) -> None:
    for run_id in run_ids:
        answer = service.api("POST", f"/runs/{run_id}/repair")
        assert answer.status_code == 200, (run_id, answer.text)
        left = {damage["file"] for damage in service.get(f"/runs/{run_id}")["damage"]}
        assert left <= {"config.json"}, (run_id, left)
        assert answer.json()["status"] in ("completed", "interrupted", "created"), (run_id, answer.text)
    ask_all(service, CASES)
    assert service.get(f"/runs/{WITNESS}") == witness


def delete_all(service: Service, run_ids: list[str]) -> None:
    for run_id in run_ids:
        answer = service.api("DELETE", f"/runs/{run_id}")
        assert answer.status_code == 204, (run_id, answer.text)
    assert service.api("GET", "/trash").status_code == 200
    assert [run["id"] for run in service.get("/runs?limit=500")["runs"]] == [WITNESS]
