"""The report of a run over HTTP and from ``rlviz report``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rlviz.cli.exits import Exit
from tests.support.cli import call
from tests.support.raw_requests import assert_problem
from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("report")
    make_run(folder / "runs", "run-a", rows=20, status="completed", name="The told one")
    with serving(folder, launcher="scripted") as service:
        yield service


@pytest.mark.parametrize("film", ["", "?film=true"])
def test_the_report_is_a_download_that_never_acts_as_a_page_of_the_service(service: Service, film: str) -> None:
    answer = service.api("GET", f"/runs/run-a/report{film}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="run-a.html"'
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "sandbox allow-scripts allow-downloads" in policy
    assert "'self'" not in policy
    assert "The told one" in answer.text


def test_a_run_without_policies_has_nothing_to_film(service: Service) -> None:
    asked = service.api("POST", "/runs/run-a/report/film")
    assert asked.status_code == 202
    assert asked.json() == {"run_id": "run-a", "moments": 0, "ready": 0, "waiting": 0, "failed": 0, "cause": None}
    assert service.get("/runs/run-a/report/film") == asked.json()


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("GET", "/film"), ("POST", "/film")])
def test_an_unknown_run_is_named(service: Service, method: str, path: str) -> None:
    problem = service.api(method, f"/runs/no-such-run/report{path}")
    assert_problem(problem, 404)
    assert "no-such-run" in problem.json()["detail"]


def test_the_command_names_the_file_after_the_run(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = call(service.runs_dir, "report", "last")
    assert ended.status == 0
    assert ended.err.startswith("run-a.html: ")
    assert (tmp_path / "run-a.html").read_text().startswith("<!doctype html>")

    told = call(service.runs_dir, "report", "The told one", "-o", "story.html", "--no-film", "--json").json
    assert told == {"path": "story.html", "bytes": (tmp_path / "story.html").stat().st_size}
    assert "<script" not in (tmp_path / "story.html").read_text()

    printed = call(service.runs_dir, "report", "run-a", "--no-film", "--output", "-")
    assert printed.out.startswith("<!doctype html>")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run-a.html", "story.html"]


def test_an_unwritable_report_is_refused_before_anything_is_filmed(service: Service, tmp_path: Path) -> None:
    assert call(service.runs_dir, "report", "no-such-run").status == Exit.NOT_FOUND
    assert call(service.runs_dir, "report", "run-a", "--json", "-o", "-").status == Exit.BAD_INPUT
    assert call(service.runs_dir, "report", "run-a", "-o", str(tmp_path)).status == Exit.BAD_INPUT
