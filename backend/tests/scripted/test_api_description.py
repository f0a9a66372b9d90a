"""The OpenAPI document and its reference page."""

from __future__ import annotations

from tests.support.service_process import Service


def test_every_error_is_documented_as_a_problem(service: Service) -> None:
    document = service.get("/openapi.json")
    expected = {
        "POST /runs": {"422"},
        "GET /runs": {"422"},
        "GET /runs/{run_id}": {"404"},
        "PATCH /runs/{run_id}": {"404", "422"},
        "DELETE /runs/{run_id}": {"404", "409"},
        "POST /runs/{run_id}/start": {"404", "409"},
        "POST /runs/{run_id}/stop": {"404", "409"},
        "GET /runs/{run_id}/stream": {"404", "422"},
        "GET /stream": {"404", "422"},
        "GET /runs/{run_id}/config": {"404"},
        "GET /runs/{run_id}/metrics/rows": {"404", "422"},
        "GET /runs/{run_id}/metrics/curves": {"404", "422"},
        "GET /metrics/curves": {"422"},
        "POST /runs/{run_id}/evaluations": {"404", "409", "422"},
        "GET /runs/{run_id}/evaluations": {"404"},
        "GET /runs/{run_id}/evaluations/latest": {"404"},
        "GET /runs/{run_id}/artifacts/{path}": {"404", "416"},
        "GET /compare": {"404", "422"},
    }
    operations = {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    assert expected.keys() <= operations.keys()
    for name, statuses in expected.items():
        assert statuses <= operations[name]["responses"].keys(), name
    for name, operation in operations.items():
        assert operation["summary"], name
        for status, response in operation["responses"].items():
            if status.startswith(("4", "5")):
                assert list(response["content"]) == ["application/problem+json"], (name, status)


def test_the_api_has_a_reference_page(service: Service) -> None:
    page = service.http.get("/api/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "openapi.json" in page.text
