"""The built front end at /: here a few files that stand for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.http import Service, assert_problem, raw_request, serving

FILES = {
    "index.html": "home",
    "404.html": "the front end's own 404",
    "compare.html": "compare",
    "compare/index.txt": "part of compare",
    "runs/view.html": "run page",
    "_next/static/chunks/app-1a2b3c.js": "script",
    "icon.svg": "<svg/>",
}
SECRET = "beside the export"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("site")
    for name, content in FILES.items():
        path = folder / "out" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (folder / "secret.html").write_text(SECRET)
    with serving(folder, frontend_dir=str(folder / "out")) as service:
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
    answer = site.http.get(path)
    assert (answer.status_code, answer.text) == (200, content)
    assert answer.headers["cache-control"] == "no-cache"


def test_a_page_that_the_browser_has_is_not_sent_again(site: Service) -> None:
    etag = site.http.get("/").headers["etag"]
    assert site.http.get("/", headers={"If-None-Match": etag}).status_code == 304


def test_the_short_address_of_a_run_leads_to_its_page(site: Service) -> None:
    answer = site.http.get("/runs/ppo-cartpole-20261121-014312-7f3a")
    assert answer.status_code == 307
    assert answer.headers["location"] == "/runs/view?id=ppo-cartpole-20261121-014312-7f3a"


@pytest.mark.parametrize("path", ["/nowhere", "/runs/Not-A-Run", "/runs/a/b", "/compare/nothing", "/_next/static/x.js"])
def test_an_unknown_page_gets_the_front_ends_own_404(site: Service, path: str) -> None:
    answer = site.http.get(path)
    assert (answer.status_code, answer.text) == (404, FILES["404.html"])
    assert answer.headers["content-type"].startswith("text/html")


def test_an_unknown_api_path_is_a_problem_and_no_page(site: Service) -> None:
    assert_problem(site.api("GET", "/nowhere"), 404)


def test_what_has_a_hash_in_its_name_is_cached_for_good(site: Service) -> None:
    answer = site.http.get("/_next/static/chunks/app-1a2b3c.js")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "immutable" not in site.http.get("/_next/static/chunks/app-other.js").headers["cache-control"]


@pytest.mark.parametrize(
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


def test_without_a_build_a_page_says_what_to_do(service: Service) -> None:
    for path in ("/", "/compare", "/runs/some-run"):
        answer = service.http.get(path)
        assert answer.status_code == 503
        assert "make run" in answer.text
        assert "/api/docs" in answer.text
