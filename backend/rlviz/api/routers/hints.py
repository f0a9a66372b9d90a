"""What a run's own curves suggest."""

from rlviz.api.dependencies import App
from rlviz.api.lanes import Lane
from rlviz.api.problems import documented
from rlviz.api.router import Router
from rlviz.api.schemas.hints import RunHints
from rlviz.api.views import view_hints
from rlviz.domain.errors import ArtifactNotFound, RunNotFound

router = Router(prefix="/runs/{run_id}/hints", tag="hints", lane=Lane.CURVES)


@router.get("", responses=documented(RunNotFound, ArtifactNotFound))
def list_hints(run_id: str, app: App) -> RunHints:
    """What the curves show that is known to go wrong, where, and what to try."""
    return view_hints(run_id, app.hints.of(run_id), lambda hint: app.hints.changes(run_id, hint))
