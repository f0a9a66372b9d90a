"""Downloads of a run's files: media types, ranges, caching."""

from __future__ import annotations

import pytest

from rlviz.rundir.folder import RunFolder
from tests.support.raw_requests import assert_problem, raw_request
from tests.support.service_process import Service


@pytest.fixture(scope="module")
def artifact(service: Service) -> RunFolder:
    """A run with one file of each kind."""
    folder = service.folder(service.create()["id"])
    for name in (
        "eval/eval_20261121-014312-123.mp4",
        "checkpoints/step_100.zip",
        "worker.log",
        "events.jsonl",
        "x.bin",
    ):
        (folder.path / name).write_bytes(bytes(range(256)) * 4)
    return folder


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("config.json", "application/json"),
        ("events.jsonl", "application/x-ndjson"),
        ("worker.log", "text/plain; charset=utf-8"),
        ("eval/eval_20261121-014312-123.mp4", "video/mp4"),
        ("checkpoints/step_100.zip", "application/zip"),
        ("x.bin", "application/octet-stream"),
    ],
)
def test_a_file_has_its_media_type_and_browsers_may_not_guess_another(
    service: Service, artifact: RunFolder, name: str, kind: str
) -> None:
    path = f"/runs/{artifact.run_id}/artifacts/{name}"
    answer = service.api("GET", path)
    assert answer.status_code == 200
    assert answer.content == (artifact.path / name).read_bytes()
    assert answer.headers["content-type"] == kind
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["accept-ranges"] == "bytes"
    head = service.api("HEAD", path)
    assert head.status_code == 200
    assert head.content == b""
    for header in ("content-length", "content-type", "etag", "last-modified"):
        assert head.headers[header] == answer.headers[header]


@pytest.mark.parametrize(
    ("value", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=10-19", 10, 19),
        ("bytes=1000-", 1000, 1023),
        ("bytes=1000-9999", 1000, 1023),
        ("bytes=-5", 1019, 1023),
        ("bytes=-9999", 0, 1023),
        ("bytes=0-", 0, 1023),
    ],
)
def test_a_range_request_returns_that_part(
    service: Service, artifact: RunFolder, value: str, first: int, last: int
) -> None:
    path = f"/runs/{artifact.run_id}/artifacts/x.bin"
    answer = service.api("GET", path, headers={"Range": value})
    assert answer.status_code == 206
    assert answer.headers["content-range"] == f"bytes {first}-{last}/1024"
    assert answer.content == (artifact.path / "x.bin").read_bytes()[first : last + 1]
    assert answer.headers["content-length"] == str(last - first + 1)


def test_a_file_cached_by_the_client_is_not_sent_again(service: Service, artifact: RunFolder) -> None:
    path = f"/runs/{artifact.run_id}/artifacts/worker.log"
    etag = service.api("GET", path).headers["etag"]
    for known in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        answer = service.api("GET", path, headers={"If-None-Match": known})
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["etag"] == etag
    (artifact.path / "worker.log").write_bytes(b"something new")
    answer = service.api("GET", path, headers={"If-None-Match": etag})
    assert (answer.status_code, answer.content) == (200, b"something new")
    assert answer.headers["etag"] != etag


def test_a_range_of_a_changed_file_returns_the_whole_file(service: Service, artifact: RunFolder) -> None:
    path = f"/runs/{artifact.run_id}/artifacts/x.bin"
    etag = service.api("GET", path).headers["etag"]
    same = service.api("GET", path, headers={"Range": "bytes=0-9", "If-Range": etag})
    assert same.status_code == 206
    other = service.api("GET", path, headers={"Range": "bytes=0-9", "If-Range": '"older"'})
    assert other.status_code == 200
    assert len(other.content) == 1_024


def test_an_empty_file_is_sent_and_has_no_range(service: Service, artifact: RunFolder) -> None:
    (artifact.path / "empty.txt").write_bytes(b"")
    path = f"/runs/{artifact.run_id}/artifacts/empty.txt"
    assert service.api("GET", path).content == b""
    assert_problem(service.api("GET", path, headers={"Range": "bytes=0-"}), 416)


def test_a_journal_that_grows_while_it_is_sent_arrives_as_it_was_at_the_start(service: Service) -> None:
    folder = service.folder(service.create()["id"])
    with folder.log_path.open("wb", buffering=0) as log:
        log.write(b"x" * 30_000_000)
        answer = raw_request(
            service.port,
            f"/api/runs/{folder.run_id}/artifacts/worker.log".encode(),
            on_head=lambda: log.write(b"y" * 1_000_000),
        )
    assert answer.headers["content-length"] == "30000000"
    assert answer.body == b"x" * 30_000_000
