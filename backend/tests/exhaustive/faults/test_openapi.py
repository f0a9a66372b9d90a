"""Schemathesis checks every response against the OpenAPI document."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import one_of
from starlette.applications import Starlette
from starlette.routing import Mount

from rlviz.server.app import create_api
from rlviz.server.application import Application
from rlviz.server.problems import answer_with_problems
from rlviz.settings import Settings
from tests.support.described_api import described_api
from tests.support.faults import times
from tests.support.run_folders import make_run

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the libraries, while they are imported
    import schemathesis
    from schemathesis import GenerationMode
    from schemathesis.specs.openapi import checks

pytestmark = [pytest.mark.faults, pytest.mark.filterwarnings("default")]

CASES = times(4, 300)
"""For each operation; there are more than thirty."""


def no_server_error(context: Any, response: Any, case: schemathesis.Case) -> bool | None:
    """Check like schemathesis, but allow 501, which says what to install. It must be documented like every status."""
    return None if response.status_code == 501 else schemathesis.checks.not_a_server_error(context, response, case)


CHECKS = [
    no_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
    checks.missing_required_header,
    checks.unsupported_method,
]


TEXT_QUERY = ("get", "/runs")
"""Most of its query is text whatever it looks like: no ``algo=false`` is nonsense, as negative data would have it.
That its numbers and states are checked is in ``test_api_bad_input.py``."""

OPERATIONS = [
    (method, path)
    for path, methods in described_api()["paths"].items()
    for method in methods
    if not path.endswith("/stream")
]


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The API over a real catalogue with one run, without a supervisor, so that nothing is trained."""
    runs_dir = tmp_path_factory.mktemp("runs")
    make_run(runs_dir, "ended-run", rows=20, status="completed")
    application = Application(Settings(_env_file=None, runs_dir=runs_dir))  # type: ignore[call-arg]
    application.rebuild()
    app = Starlette(routes=[Mount("/api", create_api(application))])
    answer_with_problems(app)  # as the whole app does: no mount matches an address with a line break
    yield schemathesis.openapi.from_asgi("/api/openapi.json", app)
    application._analyst.close()
    application.database.close()


@pytest.mark.parametrize(("method", "path"), OPERATIONS, ids=lambda value: value)
def test_every_response_matches_the_openapi_document(described: Any, method: str, path: str) -> None:
    operation = described[path][method]
    takes_something = "{" in path or list(operation.iter_parameters()) or operation.body
    checked = [check for check in CHECKS if (method, path) != TEXT_QUERY or check is not checks.negative_data_rejection]
    modes = [GenerationMode.POSITIVE, *([GenerationMode.NEGATIVE] if takes_something else [])]

    @given(case=one_of([operation.as_strategy(generation_mode=mode) for mode in modes]))
    @settings(
        max_examples=CASES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def answers(case: schemathesis.Case) -> None:
        case.call_and_validate(checks=checked)

    answers()
