"""A damaged run folder affects only that run.

Every file and folder of a run folder is damaged in every way: while a service runs, before one starts with its
catalogue, and before one that must rebuild the catalogue. One service for each of these states holds all damaged runs
beside an intact one. ``rundir/contents.py`` lists the paths, and the OpenAPI document lists the requests.

Each path is damaged alone in a separate run. The paths in ``READ_BY_MOST`` are then requested with every kind of GET,
and written to; the other paths are requested in a run where all of them are damaged together. A soak damages each path
alone in every way, requests it with every GET, and writes to each run. The ordinary run covers every pair of path, kind
of damage and GET, but not every combination of the three.
"""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.storage_rules import StoredKind
from rlviz.rundir.contents import PLACES, Place
from rlviz.rundir.folder import RunFolder
from tests.support.damage import (
    CLIP,
    EVALUATION,
    FUTURE,
    HARMS,
    SNAPSHOT,
    Harm,
    copy_of,
    example_of,
    folder_instead,
    harm,
    link,
    mend,
    pipe,
    remove,
    whole_folder,
)
from tests.support.described_api import described_api
from tests.support.event_streams import streaming
from tests.support.faults import SOAK, train
from tests.support.raw_requests import raw_request
from tests.support.service_process import Service, serving
from tests.support.waiting import eventually

pytestmark = pytest.mark.faults

WITNESS = "witness"
CLIENTS = 3

READ_BY_MOST = {
    *("config.json", "control.json", "labels.json", "rules.json", "events.jsonl", "metrics.jsonl", "best_model.zip"),
    *("eval", "eval/eval_*.json", "snapshots", "sinks"),
}
"""Places that every GET is asked about, each harmed alone."""

STARTS_A_WORKER = {"/runs/{run_id}/value-slice", "/runs/{run_id}/evaluations/{evaluation_id}/saliency"}
"""Asked for what is not made yet, these have it made by a process of its own."""

VALUES: dict[str, Any] = {
    **{
        "evaluation_id": EVALUATION,
        "name": SNAPSHOT,
        "clip_id": CLIP,
        "future_id": FUTURE,
        "kind": "plateau",
        "strip": 0,
        "path": "model.zip",
    },
    **{"episode": 1, "step": 0, "index": 0, "cell": 0},
}
"""What the parameters are that a request has to have, besides the run."""


@cache
def described_gets() -> list[tuple[str, list[str]]]:
    """Return every GET of the OpenAPI document that applies to one run, with its required query."""
    found = []
    for path, methods in described_api()["paths"].items():
        needed = [one for one in methods.get("get", {}).get("parameters", []) if one.get("required")]
        query = [one["name"] for one in needed if one["in"] == "query"]
        is_about_one = "{run_id}" in path or "runs" in query
        if "get" in methods and is_about_one and not path.endswith("/stream") and path not in STARTS_A_WORKER:
            found.append((path, query))
    return found


def gets_of(run_id: str, turn: int = 0, turns: int = 1) -> list[str]:
    """Return those GETs for this run: every ``turns``-th of them, starting with number ``turn``."""
    values = {**VALUES, "run_id": run_id, "runs": f"{WITNESS},{run_id}"}
    return [
        re.sub(r"{(\w+)}", lambda name: str(values[name[1]]), path)
        + ("?" + "&".join(f"{name}={values[name]}" for name in query) if query else "")
        for path, query in described_gets()[turn % turns :: turns]
    ]


@dataclass(frozen=True)
class Case:
    """A run in which ``harm`` damages ``places``."""

    places: tuple[Place, ...]
    harm: Harm
    turn: int = 0

    @property
    def files(self) -> list[str]:
        return [example_of(place) for place in self.places]

    @property
    def run_id(self) -> str:
        name = self.places[0].path if len(self.places) == 1 else f"all-{'folders' if self._are_folders else 'files'}"
        return re.sub(r"[^a-z0-9]+", "-", f"{name}-{self.harm.__name__}".lower()).strip("-")

    @property
    def _are_folders(self) -> bool:
        return self.places[-1].is_folder

    @property
    def is_asked_everything(self) -> bool:
        return len(self.places) > 1 or self.places[0].path in READ_BY_MOST

    @property
    def is_surely_damaged(self) -> bool:
        """Return whether the damaged entry can never be mistaken for an intact one."""
        place = self.places[0]
        is_in_place = place.is_folder and self.harm is folder_instead
        return (self.harm in (folder_instead, pipe, link) and not is_in_place) or place.path == "config.json"


OTHERS = [place for place in PLACES if place.path not in READ_BY_MOST]

EACH_WAY, EACH_GET = (1, 1) if SOAK else (5, 4)
"""Of how many ways to harm a place alone that few read, and of how many GETs about a run, one is taken."""

CASES = [
    *(
        Case((place,), harm, turn=number + way)
        for number, place in enumerate(PLACES)
        for way, harm in enumerate(HARMS)
        if place.path in READ_BY_MOST or (number + way) % EACH_WAY == 0
    ),
    *(Case(tuple(place for place in OTHERS if not place.is_folder), harm, way) for way, harm in enumerate(HARMS)),
    *(Case(tuple(place for place in OTHERS if place.is_folder), harm, way + 1) for way, harm in enumerate(HARMS)),
]
RUN_IDS = [case.run_id for case in CASES]


def requests_for(case: Case, *, everything: bool) -> list[tuple[str, str, Any]]:
    run = f"/runs/{case.run_id}"
    asked: list[tuple[str, str, Any]] = [("GET", run, None)]
    if everything or SOAK:  # which no catalogue has a part in
        asked += [("GET", f"{run}/artifacts/{file}", None) for file in case.files]
    if everything and case.is_asked_everything:
        asked += [("GET", path, None) for path in gets_of(case.run_id, case.turn, EACH_GET)]
    if not everything or not (SOAK or case.is_asked_everything):
        return asked
    asked += [("POST", f"{run}/stop", None), ("POST", f"{run}/start", None)]
    if "labels.json" not in case.files:  # which this would write anew
        asked.append(("PATCH", run, {"notes": "asked"}))
    if not any(place.kind is StoredKind.POLICIES for place in case.places):  # with one this would start a process
        asked.append(("POST", f"{run}/evaluations", {"episodes": 1}))
    return asked


def ask(service: Service, requests: Iterable[tuple[str, str, Any]]) -> None:
    """Check that each request gets a response without an internal server error."""

    def problem_of(request: tuple[str, str, Any]) -> str | None:
        method, path, body = request
        content = b"" if body is None else json.dumps(body).encode()
        head = {"Content-Type": b"application/json"}
        try:
            answer = raw_request(
                service.port, f"/api{path}".encode(), method=method.encode(), headers=head, body=content
            )
        except (OSError, http.client.HTTPException) as error:
            return f"{method} {path}: {error!r}"
        unavailable = answer.status == 501  # an optional package is not installed
        return None if answer.status < 500 or unavailable else f"{method} {path}: {answer.body[:200]!r}"

    with ThreadPoolExecutor(CLIENTS) as clients:
        wrong = [found for found in clients.map(problem_of, requests) if found]
    if wrong:
        pytest.fail("\n".join([*wrong[:60], service.log[-6_000:]]), pytrace=False)


def ask_about_all(service: Service) -> None:
    """Check the responses about many runs, some of them damaged."""
    ask(service, [("GET", path, None) for path in ("/analytics/groups", "/analytics/scatter?x=seed", "/storage")])


def streams_all(service: Service) -> None:
    """Check one stream over many runs: it reports the end of each, and none blocks the others."""
    for first in range(0, len(RUN_IDS), 45):
        some = RUN_IDS[first : first + 45]
        ended: set[str] = set()
        with streaming(service, f"/stream?runs={','.join([WITNESS, *some])}") as stream:
            for event in stream:
                if event.kind == "end":
                    ended.add(event.data["run_id"])
                if ended >= {WITNESS, *some}:
                    break


def fingerprint(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.stat().st_size) for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return whole_folder(tmp_path_factory.mktemp("damaged") / "elsewhere")


def test_each_case_has_its_own_run_id() -> None:
    assert len(set(RUN_IDS)) == len(RUN_IDS)


def test_damage_to_one_run_affects_no_other(template: RunFolder) -> None:
    root = template.path.parent.parent
    runs = root / "runs"
    for run_id in [WITNESS, *RUN_IDS]:
        copy_of(template, runs, run_id)
    outside = fingerprint(root / "elsewhere")
    with serving(root) as service:
        witness = service.get(f"/runs/{WITNESS}")
        assert witness["damage"] == []
        harm_all(runs)
        check(service, witness, everything=True)
    with serving(root) as service:  # on the catalogue as it was left
        check(service, witness, everything=False)
        eventually(lambda: {*SURELY_DAMAGED} <= damaged_in_list(service), "damage to be listed")
    (runs / "rlviz.db").unlink()
    with serving(root) as service:  # which has to make it again
        check(service, witness, everything=False)
        assert {*SURELY_DAMAGED} <= damaged_in_list(service)
        assert not {run["status"] for run in listed(service)} & {"queued", "running", "created"}
        assert fingerprint(root / "elsewhere") == outside
        repair_all(service)
        assert service.get(f"/runs/{WITNESS}") == witness
        delete_all(service)
        assert fingerprint(root / "elsewhere") == outside
        assert "Traceback" not in service.log, service.log[-6_000:]


SURELY_DAMAGED = [case.run_id for case in CASES if case.is_surely_damaged]


def harm_all(runs: Path) -> None:
    for case in CASES:
        for file in reversed(case.files):  # what lies in a folder before the folder
            harm(runs / case.run_id / file, case.harm)
    (runs / "a-link").symlink_to(runs.parent / "elsewhere" / "template-run")
    (runs / "a-file").touch()


def check(service: Service, witness: dict[str, Any], *, everything: bool) -> None:
    ask(service, [one for case in CASES for one in requests_for(case, everything=everything)])
    ask_about_all(service)
    assert {run["id"] for run in listed(service)} >= {WITNESS, *RUN_IDS}
    assert service.api("GET", "/runs/a-link").status_code == 404
    assert service.api("GET", "/runs/a-file").status_code == 404
    streams_all(service)
    assert service.get(f"/runs/{WITNESS}") == witness
    assert "Traceback" not in service.log, service.log[-6_000:]


def listed(service: Service) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor = ""
    while True:
        page = service.get(f"/runs?limit=500{cursor}")
        found += page["runs"]
        if page["next_cursor"] is None:
            return found
        cursor = f"&cursor={page['next_cursor']}"


def damaged_in_list(service: Service) -> set[str]:
    runs = listed(service)
    assert all({"file", "line", "problem", "remedy", "newer"} == one.keys() for run in runs for one in run["damage"])
    return {run["id"] for run in runs if run["damage"]}


def repair_all(service: Service) -> None:
    for run_id in RUN_IDS:
        answer = service.api("POST", f"/runs/{run_id}/repair")
        assert answer.status_code == 200, (run_id, answer.text)
        left = {damage["file"] for damage in service.get(f"/runs/{run_id}")["damage"]}
        assert left <= {"config.json"}, (run_id, left)
        assert answer.json()["status"] in ("completed", "interrupted", "created"), (run_id, answer.text)
    ask(service, [("GET", f"/runs/{case.run_id}/artifacts/{file}", None) for case in CASES for file in case.files])


def delete_all(service: Service) -> None:
    for run_id in RUN_IDS:
        answer = service.api("DELETE", f"/runs/{run_id}")
        assert answer.status_code == 204, (run_id, answer.text)
    assert service.api("GET", "/trash").status_code == 200
    assert [run["id"] for run in listed(service)] == [WITNESS]


def test_a_run_damaged_while_it_trains_saves_its_policy_and_affects_no_other(
    template: RunFolder, tmp_path: Path
) -> None:
    """A real worker has its journals open while its files are replaced: everything is damaged in one way, requested,
    restored, and damaged in the next way.
    """
    copy_of(template, tmp_path / "elsewhere", template.run_id)
    copy_of(template, tmp_path / "runs", WITNESS)
    outside = fingerprint(tmp_path / "elsewhere")
    with serving(tmp_path) as service:
        witness = service.get(f"/runs/{WITNESS}")
        run_id = train(service)
        folder = service.folder(run_id)
        config, control = folder.config_path.read_bytes(), folder.control_path.read_bytes()
        for way, how in enumerate(HARMS):
            mend(folder, template)
            for number, place in reversed([*enumerate(PLACES)]):  # what lies in a folder before the folder
                harm(folder.path / example_of(place), how)
                if place.path in READ_BY_MOST or (number + way) % EACH_WAY == 0:
                    answer = service.api("GET", f"/runs/{run_id}")
                    assert answer.status_code == 200, (place, how, answer.text)
            ask(service, [("GET", path, None) for path in gets_of(run_id, way, EACH_GET)])
            assert service.get(f"/runs/{run_id}")["status"] == "running", how
            for path, content in ((folder.config_path, config), (folder.control_path, control)):
                remove(path)
                path.write_bytes(content)
        assert service.api("POST", f"/runs/{run_id}/stop").status_code == 202
        service.wait_for_status(run_id, "stopped", "interrupted")
        assert folder.model_path.is_file(), "it was asked to stop, and did"
        assert service.get(f"/runs/{WITNESS}") == witness
        assert fingerprint(tmp_path / "elsewhere") == outside
        assert "Traceback" not in service.log, service.log[-6_000:]
