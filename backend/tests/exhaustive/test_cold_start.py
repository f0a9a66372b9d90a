"""What a service that was just started imports. Each case is a process that imports everything for itself."""

from __future__ import annotations

from tests.scripted.test_cold_start import imported


def test_the_first_answer_imports_no_other_routes_and_the_description_has_all() -> None:
    program = "from rlviz.server.app import create_api\napi = create_api()"
    routers = [f"rlviz.server.routers.{name}" for name in ("health", "runs", "stream", "experiments")]
    assert imported(program, *routers) == ["rlviz.server.service.routes"]
    described = f"{program}\npaths = api.openapi()['paths']\nassert {{'/health', '/experiments'}} <= set(paths)"
    assert "rlviz.server.stream.routes" in imported(described, *routers)
