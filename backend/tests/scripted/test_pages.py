"""Serving of the built front end at /, represented by a few files."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import NamedTuple

import httpx
import pytest

from tests.support.cases import cases
from tests.support.raw_requests import assert_problem, raw_request
from tests.support.service_process import Service, serving

FILES = {
    "index.html": "home",
    "404.html": "the front end's own 404",
    "compare.html": "compare",
    "compare/index.txt": "part of compare",
    "runs/view.html": "run page",
    "_next/static/chunks/app-1a2b3c.js": "script",
    "icon.svg": "<svg/>",
}
COMPRESSED = {
    "index.html.br": b"brotli",
    "index.html.gz": gzip.compress(b"home"),
    "_next/static/chunks/app-1a2b3c.js.gz": gzip.compress(b"script"),
}
"""What the build wrote beside some of them; the service hands it out as it is."""

PLAIN = {"Accept-Encoding": "identity"}
"""For a client that would decode what only stands for Brotli."""

SECRET = "beside the export"


class RawAnswer(NamedTuple):
    status_code: int
    headers: httpx.Headers
    content: bytes


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("site")
    for name, content in FILES.items():
        path = folder / "out" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    for name, variant in COMPRESSED.items():
        (folder / "out" / name).write_bytes(variant)
    (folder / "secret.html").write_text(SECRET)
    with serving(folder, frontend_dir=str(folder / "out"), launcher="scripted") as service:
        yield service
        assert "Traceback" not in service.log, service.log


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("/", "home"),
        ("/compare", "compare"),
        ("/compare?runs=a,b", "compare"),
        ("/runs/view?id=x", "run page"),
        ("/icon.svg", "<svg/>"),
    ],
)
def test_each_page_has_its_address(site: Service, path: str, content: str) -> None:
    answer = site.http.get(path, headers=PLAIN)
    assert (answer.status_code, answer.text) == (200, content)
    assert answer.headers["cache-control"] == "no-cache"


@cases(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("br;q=0.5, gzip;q=0.9", "gzip"),
        ("br;q=0, gzip", "gzip"),
        ("*", "br"),
        ("br;q=0, *;q=0.1", "gzip"),
        ("br;q=nonsense, identity", None),
        ("deflate", None),
        ("gzip;q=0", None),
        ("", None),
    ],
)
def test_a_page_is_sent_in_the_best_encoding_that_the_client_accepts(
    site: Service, accepted: str, coding: str | None
) -> None:
    answer = raw_answer(site, "/", {"Accept-Encoding": accepted})
    expected = {"br": b"brotli", "gzip": COMPRESSED["index.html.gz"], None: b"home"}[coding]
    assert answer.content == expected
    assert answer.headers.get("content-encoding") == coding
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["content-length"] == str(len(expected))
    assert "script-src" in answer.headers["content-security-policy"]


def raw_answer(site: Service, path: str, headers: dict[str, str], method: str = "GET") -> RawAnswer:
    """Return the response as it was sent, without decoding."""
    with site.http.stream(method, path, headers=headers) as answer:
        content = b"".join(answer.iter_raw())
    return RawAnswer(answer.status_code, answer.headers, content)


def test_each_encoding_has_its_own_etag_and_is_not_sent_again(site: Service) -> None:
    tags = {}
    for coding in ("br", "gzip", "identity"):
        asked = {"Accept-Encoding": coding}
        tags[coding] = raw_answer(site, "/", asked).headers["etag"]
        again = raw_answer(site, "/", {**asked, "If-None-Match": tags[coding]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["vary"] == "Accept-Encoding"
    assert len(set(tags.values())) == 3
    assert raw_answer(site, "/", {"Accept-Encoding": "gzip", "If-None-Match": tags["br"]}).status_code == 200


def test_the_headers_of_a_compressed_page_equal_those_of_its_get_response(site: Service) -> None:
    head = raw_answer(site, "/", {"Accept-Encoding": "br"}, "HEAD")
    assert (head.headers["content-encoding"], head.headers["content-length"], head.content) == ("br", "6", b"")


def test_a_range_applies_to_the_uncompressed_file(site: Service) -> None:
    part = raw_answer(site, "/", {"Accept-Encoding": "br", "Range": "bytes=1-2"})
    assert (part.status_code, part.content) == (206, b"om")
    assert "content-encoding" not in part.headers


def test_a_file_without_compressed_variants_is_sent_unchanged(site: Service) -> None:
    answer = raw_answer(site, "/icon.svg", {"Accept-Encoding": "gzip, br"})
    assert answer.content == b"<svg/>"
    assert "content-encoding" not in answer.headers


def test_a_script_keeps_its_type_and_cache_lifetime_in_any_encoding(site: Service) -> None:
    script = raw_answer(site, "/_next/static/chunks/app-1a2b3c.js", {"Accept-Encoding": "gzip, br"})
    assert gzip.decompress(script.content) == b"script"
    assert "javascript" in script.headers["content-type"]
    assert "immutable" in script.headers["cache-control"]


def test_large_api_responses_are_compressed_and_small_ones_are_not(site: Service) -> None:
    asked = {"Accept-Encoding": "gzip"}
    assert raw_answer(site, "/api/openapi.json", asked).headers["content-encoding"] == "gzip"
    assert site.http.get("/api/openapi.json", headers=asked).json()["openapi"]
    assert "content-encoding" not in raw_answer(site, "/api/runs", asked).headers
    assert "content-encoding" not in raw_answer(site, "/api/openapi.json", {"Accept-Encoding": "identity"}).headers


def test_streams_and_files_of_a_run_are_not_compressed(site: Service) -> None:
    run = site.create()
    site.folder(run["id"]).metrics_path.write_text("x" * 10_000)
    asked = {"Accept-Encoding": "gzip"}
    file = raw_answer(site, f"/api/runs/{run['id']}/artifacts/metrics.jsonl", asked)
    assert (file.headers.get("content-encoding"), len(file.content)) == (None, 10_000)
    with site.http.stream("GET", "/api/stream", headers=asked) as stream:
        assert "content-encoding" not in stream.headers


def test_a_page_cached_by_the_browser_is_not_sent_again(site: Service) -> None:
    etag = site.http.get("/", headers=PLAIN).headers["etag"]
    assert site.http.get("/", headers={**PLAIN, "If-None-Match": etag}).status_code == 304


def test_the_short_address_of_a_run_redirects_to_its_page(site: Service) -> None:
    answer = site.http.get("/runs/ppo-cartpole-20261121-014312-7f3a")
    assert answer.status_code == 307
    assert answer.headers["location"] == "/runs/view?id=ppo-cartpole-20261121-014312-7f3a"


@pytest.mark.parametrize("path", ["/nowhere", "/runs/Not-A-Run", "/runs/a/b", "/compare/nothing", "/_next/static/x.js"])
def test_an_unknown_page_gets_the_front_ends_own_404(site: Service, path: str) -> None:
    answer = site.http.get(path)
    assert (answer.status_code, answer.text) == (404, FILES["404.html"])
    assert answer.headers["content-type"].startswith("text/html")


def test_an_unknown_api_path_returns_a_problem_and_no_page(site: Service) -> None:
    assert_problem(site.api("GET", "/nowhere"), 404)


def test_a_file_with_a_hash_in_its_name_is_cached_permanently(site: Service) -> None:
    answer = site.http.get("/_next/static/chunks/app-1a2b3c.js")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "immutable" not in site.http.get("/_next/static/chunks/app-other.js").headers["cache-control"]


@cases(
    "target",
    [
        b"/../secret.html",
        b"/../secret",
        b"/%2e%2e/secret.html",
        b"/%2e%2e%2fsecret.html",
        b"/%252e%252e%252fsecret.html",
        b"/..%5csecret.html",
        b"/runs/..%2f..%2fsecret.html",
        b"/runs/..",
        b"/runs/%2e%2e",
        b"/runs/../../secret.html",
        b"//secret.html",
        b"/_next/static/../../../secret.html",
        b"/%00",
        b"/index.html%00",
        b"/runs/view%00",
        b"/" + b"x" * 5_000,
        b"/%ff",
        b"/%0d%0ax",
    ],
    ids=lambda value: value[:30].decode(),
)
def test_no_address_leads_out_of_the_front_end(site: Service, target: bytes) -> None:
    answer = raw_request(site.port, target)
    assert answer.status == 404 or answer.headers["location"] == f"http://127.0.0.1:{site.port}/runs/../"
    assert SECRET.encode() not in answer.body


def test_without_a_build_a_page_explains_what_to_do(service: Service) -> None:
    for path in ("/", "/compare", "/runs/some-run"):
        answer = service.http.get(path)
        assert answer.status_code == 503
        assert "make run" in answer.text
        assert "/api/docs" in answer.text
