"""Invalid cursors, query parameters and addresses."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.cases import cases
from tests.support.event_streams import is_kind, streaming
from tests.support.raw_requests import assert_problem
from tests.support.service_process import Service

ENDED = "ended-run"
GOOD: dict[str, Any] = {"algo": "ppo", "env_id": "CartPole-v1", "seed": 1}


@cases(
    "cursor",
    [
        "garbage",
        "412",
        "-1",
        "ended-run",
        "ended-run:",
        "ended-run:-1",
        "ended-run:1.5",
        "ended-run:0x10",
        "ended-run:" + "9" * 15,
        "ended-run:" + "9" * 400,
        "ended-run:7",  # in the middle of a line
        "ended-run:0;other:1",
        "ended-run 0",
        "../etc:0",
        "ended-run:0\u00e9",
        "x" * 20_000,
        ":0",
    ],
    ids=lambda value: value[:20],
)
@cases("path", ["/runs/ended-run/stream", "/stream?runs=ended-run"])
def test_a_made_up_cursor_is_refused(service: Service, path: str, cursor: str) -> None:
    answer = service.api("GET", path, headers={"Last-Event-ID": cursor.encode()})
    assert_problem(answer, 422, "/last_event_id")
    if len(cursor) < 1_000:
        answer = service.api("GET", path, params={"runs": "ended-run", "last_event_id": cursor})
        assert_problem(answer, 422, "/last_event_id")


@pytest.mark.parametrize("since", ["yesterday", "-1", "nan", "inf", "1e999", ""])
def test_an_invalid_time_is_refused(service: Service, since: str) -> None:
    assert_problem(service.api("GET", f"/runs/{ENDED}/stream", params={"since": since}), 422, "/since")


def cursor_of(*parts: object) -> str:
    """Encode a cursor of the list like the service does."""
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode()


@cases(
    ("query", "pointer"),
    [
        ({"limit": "0"}, "/limit"),
        ({"limit": "501"}, "/limit"),
        ({"limit": "ten"}, "/limit"),
        ({"limit": "9" * 400}, "/limit"),
        ({"sort": "magic"}, "/sort"),
        ({"sort": "--name"}, "/sort"),
        ({"sort": ""}, "/sort"),
        ({"status": "flying"}, "/status/0"),
        ({"status": ["running", "flying"]}, "/status/1"),
        ({"q": "x" * 201}, "/q"),
        ({"cursor": "garbage"}, "/cursor"),
        ({"cursor": ""}, "/cursor"),
        ({"cursor": "é"}, "/cursor"),
        ({"cursor": "x" * 1_001}, "/cursor"),
        ({"cursor": cursor_of()}, "/cursor"),
        ({"cursor": cursor_of("-created_at", None, "x")}, "/cursor"),
        ({"cursor": cursor_of("-created_at", 10**30, "x")}, "/cursor"),  # more than SQLite can hold
        ({"cursor": cursor_of("-created_at", "\ud800", "x")}, "/cursor"),
        ({"cursor": cursor_of("-created_at", 1.5, "\ud800")}, "/cursor"),
        ({"cursor": cursor_of("name", 1.5, "x")}, "/cursor"),  # of a list in another order
    ],
)
def test_an_invalid_query_of_the_list_is_refused(service: Service, query: dict[str, Any], pointer: str) -> None:
    assert_problem(service.api("GET", "/runs", params=query), 422, pointer)


@cases(
    ("path", "query", "pointer"),
    [
        (f"/runs/{ENDED}/metrics/rows", {"tail": "0"}, "/tail"),
        (f"/runs/{ENDED}/metrics/rows", {"tail": "all"}, "/tail"),
        (f"/runs/{ENDED}/metrics/rows", {"tail": "100001"}, "/tail"),
        (f"/runs/{ENDED}/metrics", {"tail": "1", "names": "a"}, "/tail"),
        (f"/runs/{ENDED}/metrics/curves", {"max_points": "3"}, "/max_points"),
        (f"/runs/{ENDED}/metrics/curves", {"x": "epoch"}, "/x"),
        (f"/runs/{ENDED}/metrics/curves", {"from": "2", "to": "1"}, "/from"),
        (f"/runs/{ENDED}/metrics/curves", {"smoothing": "1"}, "/smoothing"),
        (f"/runs/{ENDED}/metrics/curves", {"newest": "0"}, "/newest"),
        ("/metrics/curves", {}, "/runs"),
        ("/metrics/curves", {"runs": ",".join(f"r{n}" for n in range(101))}, "/runs"),
        ("/runs", {"id": [f"r{n}" for n in range(101)]}, "/id"),
        ("/compare", {}, "/runs"),
        ("/compare", {"runs": ""}, "/runs"),
        ("/compare", {"runs": ",,"}, "/runs"),
        ("/compare", {"runs": ",".join(f"r{n}" for n in range(101))}, "/runs"),
        ("/compare", {"runs": ENDED, "metrics": ",".join(f"m{n}" for n in range(21))}, "/metrics"),
        ("/compare", {"runs": ENDED, "max_points": "3"}, "/max_points"),
        ("/compare", {"runs": ENDED, "x": "time"}, "/x"),
        ("/compare", {"runs": ENDED, "window": "0"}, "/window"),
        ("/compare", {"runs": ENDED, "threshold": "nan"}, "/threshold"),
        ("/stream", {"runs": ",".join(f"r{n}" for n in range(51))}, "/runs"),
    ],
)
def test_an_invalid_query_is_refused(service: Service, path: str, query: dict[str, str], pointer: str) -> None:
    assert_problem(service.api("GET", path, params=query), 422, pointer)


@pytest.mark.parametrize("path", ["/compare?runs=ended-run,nobody", "/stream?runs=ended-run,nobody"])
def test_an_unknown_run_among_known_ones_is_named(service: Service, path: str) -> None:
    assert "'nobody'" in assert_problem(service.api("GET", path), 404)["detail"]


def test_the_last_of_two_values_of_a_query_parameter_wins(service: Service) -> None:
    assert len(service.get("/runs?limit=0&limit=1")["runs"]) == 1
    assert_problem(service.api("GET", "/runs?limit=1&limit=0"), 422, "/limit")


CODE = """'"><script>alert(1)</script><img src=x onerror=alert(1)>"""
FORMULA = '=HYPERLINK("http://evil.example","x")'
SPLIT = f"{CODE}\r\n\r\nevent: end\r\ndata: {{}}\r\n\r\n"


def test_text_that_looks_like_code_stays_text_in_every_field(service: Service) -> None:
    """Valid text is returned unchanged, invalid text is quoted in a problem, and no browser treats either as a page."""
    labels = {"name": f"{FORMULA}{CODE}", "tags": [CODE[:40], FORMULA[:40]], "notes": SPLIT}
    run_id = service.create(name=CODE)["id"]
    answers = [service.api("PATCH", f"/runs/{run_id}", json=labels)]
    paths = ("", "/config", "/artifacts/labels.json", "/artifacts/config.json")
    answers += [service.api("GET", f"/runs/{run_id}{path}") for path in paths]
    answers += [service.api("GET", "/runs", params={"q": CODE}), service.api("GET", "/tags")]
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    assert {key: answers[1].json()[key] for key in labels} == labels
    assert [run["id"] for run in answers[-2].json()["runs"]] == [run_id]
    with streaming(service, f"/runs/{run_id}/stream") as stream:
        told = stream.until(is_kind("status"))
        assert [event.kind for event in told] == ["status"], "no field can end an event"
        assert told[0].data["run"]["notes"] == SPLIT

    environment = {"env_id": "FrozenLake-v1", "env_options": {CODE: CODE, "map_name": CODE}}
    refused = [
        service.api("POST", "/runs", json=GOOD | wishes)
        for wishes in (
            {"algo": CODE},
            {"env_id": CODE},
            environment,
            {"preset": CODE},
            {"seed": CODE},
            {"hyperparameters": {CODE: CODE, "gamma": CODE}},
            {"tags": CODE},
        )
    ]
    refused += [service.api("GET", "/runs", params={key: CODE}) for key in ("sort", "cursor", "limit")]
    refused += [service.api("GET", f"/compare?runs={ENDED},{ENDED}", params={"threshold": CODE})]
    refused += [service.api("GET", f"/runs/{ENDED}/stream", headers={"Last-Event-ID": CODE})]
    for answer in refused:
        assert_problem(answer, 422)
    refused += [
        service.api("GET", f"/runs/{quote(CODE)}"),
        service.api("GET", f"/runs/{ENDED}/artifacts/{quote(CODE)}"),
    ]
    for answer in answers + refused:
        assert answer.headers["content-type"].split(";")[0] in ("application/json", "application/problem+json")
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert service.api("DELETE", f"/runs/{run_id}").status_code == 204


def test_an_unknown_query_parameter_is_ignored(service: Service) -> None:
    assert service.get("/health?verbose=1")["status"] == "ok"


@pytest.mark.parametrize("path", ["/", "/nowhere", "/runs/x/y", "/runs/ended-run/nowhere", "/health/", "/Runs"])
def test_an_unknown_address_returns_a_problem(service: Service, path: str) -> None:
    assert_problem(service.api("GET", path), 404)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/health", "GET"),
        ("PUT", "/runs", "GET, POST"),
        ("GET", f"/runs/{ENDED}/start", "POST"),
        ("POST", f"/runs/{ENDED}", "GET, PATCH, DELETE"),
        ("POST", f"/runs/{ENDED}/artifacts/config.json", "GET, HEAD"),
        ("OPTIONS", "/runs", "GET, POST"),
    ],
)
def test_a_wrong_method_returns_a_problem_that_names_the_allowed_ones(
    service: Service, method: str, path: str, allowed: str
) -> None:
    answer = service.api(method, path)
    assert_problem(answer, 405)
    assert set(answer.headers["allow"].split(", ")) <= set(allowed.split(", "))


def test_a_search_with_a_nul_character_is_refused(service: Service) -> None:
    assert_problem(service.api("GET", "/runs", params={"q": "no such run\0"}), 422, "/q")
