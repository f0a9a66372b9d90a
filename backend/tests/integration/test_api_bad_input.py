"""Whatever is sent, the answer is a clear problem+json: never a 5xx, never a file from outside the run's folder."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.http import Service, assert_problem, is_kind, raw_request, streaming

ENDED = "ended-run"
SECRET = b"the secret beside the run folder"
GOOD: dict[str, Any] = {"algo": "ppo", "env_id": "CartPole-v1", "seed": 1}


@pytest.fixture(scope="module")
def secret(service: Service) -> Iterator[str]:
    """A file that nobody may read, beside the run folders; its name."""
    path = service.runs_dir / "secret.txt"
    path.write_bytes(SECRET)
    yield path.name
    path.unlink()


# What a run is made of


@pytest.mark.parametrize(
    ("wishes", "pointer", "nearest"),
    [
        ({"algo": "pop"}, "/algo", "ppo"),
        ({"algo": "DQN2"}, "/algo", "dqn"),
        ({"env_id": "cartpole"}, "/env_id", "CartPole-v1"),
        ({"env_id": "Acrobat-v1"}, "/env_id", "Acrobot-v1"),
        ({"preset": "fats"}, "/preset", "fast"),
        ({"preset": "highscore"}, "/preset", "high-score"),
        ({"hyperparameters": {"learning_rat": 0.1}}, "/hyperparameters/learning_rat", "learning_rate"),
        ({"hyperparameters": {"lr/x~y": 0.1}}, "/hyperparameters/lr~1x~0y", None),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_known_one(
    service: Service, wishes: dict[str, Any], pointer: str, nearest: str | None
) -> None:
    problem = assert_problem(service.api("POST", "/runs", json=GOOD | wishes), 422, pointer)
    if nearest is not None:
        assert f"Did you mean '{nearest}'?" in problem["detail"]
    assert "Known: " in problem["detail"]


@pytest.mark.parametrize("seed", ["1", 1.5, True, -1, 2**31, 2**40, 10**30, [], {}, ""])
def test_a_seed_that_is_no_integer_within_bounds_is_refused(service: Service, seed: Any) -> None:
    assert_problem(service.api("POST", "/runs", json=GOOD | {"seed": seed}), 422, "/seed")


@pytest.mark.parametrize("seed", [0, 2**31 - 1])
def test_the_bounds_of_a_seed_belong_to_it(service: Service, seed: int) -> None:
    assert service.create(seed=seed)["seed"] == seed


def test_a_seed_of_null_is_drawn(service: Service) -> None:
    seeds = {service.create(seed=None)["seed"] for _ in range(3)}
    assert len(seeds) > 1
    assert all(0 <= seed < 2**31 for seed in seeds)


@pytest.mark.parametrize("steps", [0, 99, -5, 10_000_001, 10**30, "5000", 5000.5, True, [100]])
def test_timesteps_out_of_bounds_are_refused(service: Service, steps: Any) -> None:
    assert_problem(service.api("POST", "/runs", json=GOOD | {"total_timesteps": steps}), 422, "/total_timesteps")


@pytest.mark.parametrize(
    ("values", "pointer"),
    [
        ({"gamma": 1.5}, "/hyperparameters/gamma"),
        ({"gamma": "0.9"}, "/hyperparameters/gamma"),
        ({"gamma": None}, "/hyperparameters/gamma"),
        ({"n_steps": 10**30}, "/hyperparameters/n_steps"),
        ({"n_steps": 128.5}, "/hyperparameters/n_steps"),
        ({"batch_size": 60_000}, "/hyperparameters/batch_size"),
        ({"net_arch": [64] * 5}, "/hyperparameters/net_arch"),
        ({"net_arch": [64, "x"]}, "/hyperparameters/net_arch/1"),
        ({"activation": "sigmoid"}, "/hyperparameters/activation"),
    ],
)
def test_a_hyperparameter_out_of_bounds_is_named(service: Service, values: dict[str, Any], pointer: str) -> None:
    assert_problem(service.api("POST", "/runs", json=GOOD | {"hyperparameters": values}), 422, pointer)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_hyperparameter_that_is_not_finite_is_refused(service: Service, number: str) -> None:
    body = json.dumps(GOOD)[:-1] + f', "hyperparameters": {{"gamma": {number}}}}}'
    answer = service.api("POST", "/runs", content=body, headers={"Content-Type": "application/json"})
    assert_problem(answer, 422)


@pytest.mark.parametrize("name", ["", " \t", "x" * 121, 7])
def test_a_name_that_says_nothing_or_too_much_is_refused(service: Service, name: Any) -> None:
    assert_problem(service.api("POST", "/runs", json=GOOD | {"name": name}), 422, "/name")


def test_a_field_that_does_not_exist_is_refused(service: Service) -> None:
    assert_problem(service.api("POST", "/runs", json=GOOD | {"steps": 5}), 422, "/steps")


def test_every_bad_field_is_named_at_once(service: Service) -> None:
    answer = service.api("POST", "/runs", json={"algo": 1, "seed": "x", "total_timesteps": 1})
    assert_problem(answer, 422, "/algo", "/seed", "/total_timesteps")


# What a run may do


def test_starting_a_run_twice_is_a_conflict_that_names_both_states(service: Service) -> None:
    run = service.create(total_timesteps=10_000_000, start=True)
    service.wait_for_status(run["id"], "running")
    problem = assert_problem(service.api("POST", f"/runs/{run['id']}/start"), 409)
    assert "'running'" in problem["detail"]
    assert "'queued'" in problem["detail"]
    service.api("POST", f"/runs/{run['id']}/stop")
    service.wait_for_status(run["id"], "stopped")


def test_starting_a_run_that_has_ended_is_a_conflict(service: Service) -> None:
    problem = assert_problem(service.api("POST", f"/runs/{ENDED}/start"), 409)
    assert "'completed'" in problem["detail"]
    assert "'queued'" in problem["detail"]


def test_stopping_a_run_that_was_never_started_is_a_conflict_that_names_both_states(service: Service) -> None:
    run = service.create()
    problem = assert_problem(service.api("POST", f"/runs/{run['id']}/stop"), 409)
    assert "'created'" in problem["detail"]
    assert "'stopping'" in problem["detail"]
    assert service.get(f"/runs/{run['id']}")["status"] == "created"


@pytest.mark.parametrize("start", ["created", "completed"])
def test_evaluating_a_run_without_a_policy_is_a_conflict(service: Service, start: str) -> None:
    run_id = ENDED if start == "completed" else service.create()["id"]
    problem = assert_problem(service.api("POST", f"/runs/{run_id}/evaluations"), 409)
    assert problem["title"] == "Nothing to evaluate yet"
    assert service.get(f"/runs/{run_id}/evaluations") == []


@pytest.mark.parametrize(
    ("wishes", "pointer"),
    [
        ({"episodes": 0}, "/episodes"),
        ({"episodes": 101}, "/episodes"),
        ({"episodes": "5"}, "/episodes"),
        ({"seed": -1}, "/seed"),
        ({"deterministic": "perhaps"}, "/deterministic"),
        ({"video": "perhaps"}, "/video"),
        ({"steps": "perhaps"}, "/steps"),
        ({"film": True}, "/film"),
    ],
)
def test_a_bad_wish_for_an_evaluation_is_refused(service: Service, wishes: dict[str, Any], pointer: str) -> None:
    assert_problem(service.api("POST", f"/runs/{ENDED}/evaluations", json=wishes), 422, pointer)


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"name": None}, "/name"),
        ({"name": ""}, "/name"),
        ({"name": "   "}, "/name"),
        ({"name": "x" * 121}, "/name"),
        ({"tags": None}, "/tags"),
        ({"tags": [""]}, "/tags/0"),
        ({"tags": ["good", "x" * 41]}, "/tags/1"),
        ({"tags": ["x"] * 21}, "/tags"),
        ({"notes": None}, "/notes"),
        ({"notes": "x" * 10_001}, "/notes"),
        ({"status": "completed"}, "/status"),
    ],
)
def test_a_label_that_says_nothing_or_too_much_is_refused(
    service: Service, changes: dict[str, Any], pointer: str
) -> None:
    before = service.get(f"/runs/{ENDED}")
    assert_problem(service.api("PATCH", f"/runs/{ENDED}", json=changes), 422, pointer)
    assert service.get(f"/runs/{ENDED}") == before


# Ids and paths. The raw target reaches the service as it stands here.

HOSTILE = [
    b"..",
    b".",
    b"...",
    b"%2e%2e",
    b"%2E%2E",
    b"%252e%252e",
    b"..%2f..",
    b"%2e%2e%2f%2e%2e",
    b"..%252f..",
    b"..\\..",
    b"..%5c..",
    b"%5c%5chost%5cshare",
    b"%00",
    b"ended-run%00",
    b"%2fetc%2fpasswd",
    b"//etc/passwd",
    b"C:%5cwindows",
    b"file:%2f%2f%2fetc%2fpasswd",
    b"%c0%ae%c0%ae",
    b"%e0%80%ae",
    b"%ff%fe",
    b"%",
    b"%zz",
    b"rlviz.db",
    b"RLVIZ.DB",
    b"Ended-Run",
    b"~root",
    b"%0d%0aSet-Cookie:x=1",
    b"ended-run;x=1",
    b"-",
    b"x" * 6_000,
    b"%2e" * 2_000,
]


@pytest.mark.parametrize("run_id", HOSTILE, ids=lambda value: value[:30].decode("latin-1"))
@pytest.mark.parametrize("tail", [b"", b"/config", b"/metrics", b"/stream", b"/artifacts/config.json", b"/evaluations"])
def test_what_is_no_run_id_finds_no_run(service: Service, secret: str, run_id: bytes, tail: bytes) -> None:
    answer = raw_request(service.port, b"/api/runs/" + run_id + tail)
    assert_problem(answer, 404)
    assert SECRET not in answer.body


@pytest.mark.parametrize("run_id", HOSTILE, ids=lambda value: value[:30].decode("latin-1"))
def test_nothing_can_be_deleted_but_a_run(service: Service, secret: str, run_id: bytes) -> None:
    answer = raw_request(service.port, b"/api/runs/" + run_id, method=b"DELETE")
    assert answer.status in (404, 405), answer
    assert_problem(answer, answer.status)
    assert (service.runs_dir / secret).read_bytes() == SECRET
    assert service.folder(ENDED).config_path.exists()


UP = [b"..", b"%2e%2e", b".%2e", b"%252e%252e", b"..%2f..", b"....", b"..;", b"..%00", b"..%5c", b"..\\"]
SEPARATORS = [b"/", b"%2f", b"%252f", b"\\", b"%5c", b"//", b"/./", b"/checkpoints/../"]


@pytest.mark.parametrize("separator", SEPARATORS, ids=lambda value: value.decode())
@pytest.mark.parametrize("up", UP, ids=lambda value: value.decode())
def test_no_path_leads_out_of_the_run_folder(service: Service, secret: str, up: bytes, separator: bytes) -> None:
    for depth in (1, 2):
        target = separator.join([up] * depth) + separator + secret.encode()
        answer = raw_request(service.port, f"/api/runs/{ENDED}/artifacts/".encode() + target)
        assert SECRET not in answer.body
        assert_problem(answer, 404)


@pytest.mark.parametrize(
    "path",
    [
        b"",
        b"/",
        b"/etc/passwd",
        b"//etc/passwd",
        b"%2fetc%2fpasswd",
        b"checkpoints",
        b"eval/",
        b"config.json/",
        b"config.json%00",
        b"config.json%00.mp4",
        b"config.json%0a",
        b"config.json%20",
        b"CONFIG.JSON%2f..",
        b"config.json::$DATA",
        b".config.json.1-1.tmp",
        b"nothing.txt",
        b"x" * 300,
        b"x/" * 3_000,
        b"%ff%fe",
        b"%f0%9f%98%80",
    ],
    ids=lambda value: value[:30].decode("latin-1") or "empty",
)
def test_what_is_no_file_of_the_run_is_not_found(service: Service, path: bytes) -> None:
    (service.folder(ENDED).path / ".config.json.1-1.tmp").write_bytes(SECRET)
    answer = raw_request(service.port, f"/api/runs/{ENDED}/artifacts/".encode() + path)
    assert_problem(answer, 404)
    assert SECRET not in answer.body


def test_a_link_that_leads_out_of_the_run_folder_is_not_followed(service: Service, secret: str) -> None:
    link = service.folder(ENDED).path / "link.txt"
    link.symlink_to(service.runs_dir / secret)
    try:
        assert_problem(service.api("GET", f"/runs/{ENDED}/artifacts/link.txt"), 404)
    finally:
        link.unlink()


# Ranges


@pytest.mark.parametrize("value", ["bytes=1000000-", "bytes=1000000-1000001", "bytes=-0"])
def test_a_range_beyond_the_end_is_416_and_says_how_long_the_file_is(service: Service, value: str) -> None:
    size = service.folder(ENDED).config_path.stat().st_size
    answer = service.api("GET", f"/runs/{ENDED}/artifacts/config.json", headers={"Range": value})
    assert_problem(answer, 416)
    assert answer.headers["content-range"] == f"bytes */{size}"


@pytest.mark.parametrize(
    "value",
    [
        "bytes",
        "bytes=",
        "bytes=-",
        "bytes=x-y",
        "bytes=5-2",
        "lines=1-2",
        "bytes=--5",
        "bytes=1-2-3",
        "=",
        "1-2",
        "bytes=0-1,5-9",
    ],
)
def test_a_list_of_ranges_or_a_range_that_means_nothing_is_ignored(service: Service, value: str) -> None:
    """RFC 9110, 14.2: what a server does not understand it must ignore; the rest it may."""
    whole = service.folder(ENDED).config_path.read_bytes()
    answer = service.api("GET", f"/runs/{ENDED}/artifacts/config.json", headers={"Range": value})
    assert answer.status_code == 200
    assert answer.content == whole


# Bodies


def chunked(total: int) -> Iterator[bytes]:
    part = b"x" * 65_536
    for _ in range(total // len(part)):
        yield b"%x\r\n%b\r\n" % (len(part), part)
    yield b"0\r\n\r\n"


FIFTY_MB = 50 * 2**20
JSON_TYPE = {"Content-Type": b"application/json"}


@pytest.mark.parametrize("target", [b"/api/runs", b"/api/runs/ended-run/start", b"/api/nowhere"])
@pytest.mark.parametrize("announced", [True, False])
def test_a_body_of_50_mb_is_refused_and_the_service_stays_healthy(
    service: Service, target: bytes, announced: bool
) -> None:
    if announced:
        headers = JSON_TYPE | {"Content-Length": str(FIFTY_MB).encode()}
        body = iter([b"x" * 65_536] * (FIFTY_MB // 65_536))
    else:
        headers, body = JSON_TYPE | {"Transfer-Encoding": b"chunked"}, chunked(FIFTY_MB)
    answer = raw_request(service.port, target, method=b"POST", headers=headers, body=body)
    assert_problem(answer, 413)
    assert service.get("/health")["status"] == "ok"


def test_a_client_that_asks_first_is_refused_before_it_sends_a_body(service: Service) -> None:
    headers = JSON_TYPE | {"Content-Length": str(FIFTY_MB).encode(), "Expect": b"100-continue"}
    assert_problem(raw_request(service.port, b"/api/runs", method=b"POST", headers=headers), 413)


def test_a_body_of_many_chunks_within_the_limit_is_taken(service: Service) -> None:
    text = json.dumps(GOOD | {"name": "In chunks"}).encode()
    parts = iter([*(b"1\r\n%c\r\n" % byte for byte in text), b"0\r\n\r\n"])
    headers = JSON_TYPE | {"Transfer-Encoding": b"chunked"}
    answer = raw_request(service.port, b"/api/runs", method=b"POST", headers=headers, body=parts)
    assert answer.status == 201
    assert answer.json()["name"] == "In chunks"


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"null",
        b"[]",
        b'[{"algo": "ppo"}]',
        b'"ppo"',
        b"7",
        b"algo=ppo",
        b'{"algo": "ppo",}',
        b"\xff\xfe\x00",
        b'{"algo": "\xff"}',
        b'{"algo": "\\ud800"}',
        b'{"algo": "ppo", "name": "\\ud800"}',
        b'{"algo": "ppo", "hyperparameters": {"\\ud800": 1}}',
        b'{"algo": "ppo", "seed": ' + b"9" * 5_000 + b"}",
        b"[" * 100_000 + b"]" * 100_000,
        b'{"algo": "ppo", "hyperparameters": {"net_arch": ' + b"[" * 5_000 + b"]" * 5_000 + b"}}",
    ],
    ids=range(17),
)
def test_a_body_that_is_no_run_is_refused(service: Service, body: bytes) -> None:
    answer = service.api("POST", "/runs", content=body, headers={"Content-Type": "application/json"})
    assert_problem(answer, 422)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "x"])
def test_json_under_another_name_is_refused(service: Service, kind: str) -> None:
    answer = service.api("POST", "/runs", content=json.dumps(GOOD), headers={"Content-Type": kind})
    assert_problem(answer, 422)


# Cursors, queries, addresses


@pytest.mark.parametrize(
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
@pytest.mark.parametrize("path", ["/runs/ended-run/stream", "/stream?runs=ended-run"])
def test_a_cursor_that_no_stream_has_sent_is_refused(service: Service, path: str, cursor: str) -> None:
    answer = service.api("GET", path, headers={"Last-Event-ID": cursor.encode()})
    assert_problem(answer, 422, "/last_event_id")
    if len(cursor) < 1_000:
        answer = service.api("GET", path, params={"runs": "ended-run", "last_event_id": cursor})
        assert_problem(answer, 422, "/last_event_id")


@pytest.mark.parametrize("since", ["yesterday", "-1", "nan", "inf", "1e999", ""])
def test_a_time_that_is_none_is_refused(service: Service, since: str) -> None:
    assert_problem(service.api("GET", f"/runs/{ENDED}/stream", params={"since": since}), 422, "/since")


def cursor_of(*parts: object) -> str:
    """A cursor of the list as it is built inside."""
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode()


@pytest.mark.parametrize(
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
def test_a_query_of_the_list_that_means_nothing_is_refused(
    service: Service, query: dict[str, Any], pointer: str
) -> None:
    assert_problem(service.api("GET", "/runs", params=query), 422, pointer)


@pytest.mark.parametrize(
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
def test_a_query_that_means_nothing_is_refused(
    service: Service, path: str, query: dict[str, str], pointer: str
) -> None:
    assert_problem(service.api("GET", path, params=query), 422, pointer)


@pytest.mark.parametrize("path", ["/compare?runs=ended-run,nobody", "/stream?runs=ended-run,nobody"])
def test_a_run_that_is_unknown_among_others_is_named(service: Service, path: str) -> None:
    assert "'nobody'" in assert_problem(service.api("GET", path), 404)["detail"]


def test_of_a_query_value_given_twice_the_last_counts(service: Service) -> None:
    assert len(service.get("/runs?limit=0&limit=1")["runs"]) == 1
    assert_problem(service.api("GET", "/runs?limit=1&limit=0"), 422, "/limit")


CODE = """'"><script>alert(1)</script><img src=x onerror=alert(1)>"""
FORMULA = '=HYPERLINK("http://evil.example","x")'
SPLIT = f"{CODE}\r\n\r\nevent: end\r\ndata: {{}}\r\n\r\n"


def test_text_that_looks_like_code_stays_text_in_every_field(service: Service) -> None:
    """What can be stored comes back as it was, what cannot is quoted in a problem; no browser takes it for a page."""
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


def test_a_query_that_nobody_knows_is_ignored(service: Service) -> None:
    assert service.get("/health?verbose=1")["status"] == "ok"


@pytest.mark.parametrize("path", ["/", "/nowhere", "/runs/x/y", "/runs/ended-run/nowhere", "/health/", "/Runs"])
def test_an_unknown_address_is_a_problem_too(service: Service, path: str) -> None:
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
def test_a_wrong_method_is_a_problem_that_names_the_right_ones(
    service: Service, method: str, path: str, allowed: str
) -> None:
    answer = service.api(method, path)
    assert_problem(answer, 405)
    assert set(answer.headers["allow"].split(", ")) <= set(allowed.split(", "))


def test_a_search_with_nul_is_refused_where_it_would_find_everything(service: Service) -> None:
    assert_problem(service.api("GET", "/runs", params={"q": "no such run\0"}), 422, "/q")
