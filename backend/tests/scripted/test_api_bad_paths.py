"""Invalid run ids, file paths and ranges in requests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.cases import cases
from tests.support.raw_requests import assert_problem, raw_request
from tests.support.service_process import Service

ENDED = "ended-run"
SECRET = b"the secret beside the run folder"


@pytest.fixture(scope="module")
def secret(service: Service) -> Iterator[str]:
    """Return the name of a secret file beside the run folders."""
    path = service.runs_dir / "secret.txt"
    path.write_bytes(SECRET)
    yield path.name
    path.unlink()


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


@cases("run_id", HOSTILE, ids=lambda value: value[:30].decode("latin-1"))
@cases("tail", [b"", b"/config", b"/metrics", b"/stream", b"/artifacts/config.json", b"/evaluations"])
def test_an_invalid_run_id_finds_no_run(service: Service, secret: str, run_id: bytes, tail: bytes) -> None:
    answer = raw_request(service.port, b"/api/runs/" + run_id + tail)
    assert_problem(answer, 404)
    assert SECRET not in answer.body


@cases("run_id", HOSTILE, ids=lambda value: value[:30].decode("latin-1"))
def test_only_runs_can_be_deleted(service: Service, secret: str, run_id: bytes) -> None:
    answer = raw_request(service.port, b"/api/runs/" + run_id, method=b"DELETE")
    assert answer.status in (404, 405), answer
    assert_problem(answer, answer.status)
    assert (service.runs_dir / secret).read_bytes() == SECRET
    assert service.folder(ENDED).config_path.exists()


UP = [b"..", b"%2e%2e", b".%2e", b"%252e%252e", b"..%2f..", b"....", b"..;", b"..%00", b"..%5c", b"..\\"]
SEPARATORS = [b"/", b"%2f", b"%252f", b"\\", b"%5c", b"//", b"/./", b"/checkpoints/../"]


@cases("separator", SEPARATORS, ids=lambda value: value.decode())
@cases("up", UP, ids=lambda value: value.decode())
def test_no_path_leads_out_of_the_run_folder(service: Service, secret: str, up: bytes, separator: bytes) -> None:
    for depth in (1, 2):
        target = separator.join([up] * depth) + separator + secret.encode()
        answer = raw_request(service.port, f"/api/runs/{ENDED}/artifacts/".encode() + target)
        assert SECRET not in answer.body
        assert_problem(answer, 404)


@cases(
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
def test_a_name_that_is_no_file_of_the_run_is_not_found(service: Service, path: bytes) -> None:
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


@pytest.mark.parametrize("value", ["bytes=1000000-", "bytes=1000000-1000001", "bytes=-0"])
def test_a_range_beyond_the_end_returns_416_and_the_length_of_the_file(service: Service, value: str) -> None:
    size = service.folder(ENDED).config_path.stat().st_size
    answer = service.api("GET", f"/runs/{ENDED}/artifacts/config.json", headers={"Range": value})
    assert_problem(answer, 416)
    assert answer.headers["content-range"] == f"bytes */{size}"


@cases(
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
def test_a_list_of_ranges_or_an_invalid_range_is_ignored(service: Service, value: str) -> None:
    """RFC 9110, 14.2: a server must ignore what it does not understand, and may ignore the rest."""
    whole = service.folder(ENDED).config_path.read_bytes()
    answer = service.api("GET", f"/runs/{ENDED}/artifacts/config.json", headers={"Range": value})
    assert answer.status_code == 200
    assert answer.content == whole
