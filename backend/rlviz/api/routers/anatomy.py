"""What a run's updates look like from within."""

from typing import Annotated

from fastapi import Query

from rlviz.api.dependencies import App
from rlviz.api.lanes import Lane
from rlviz.api.problems import documented
from rlviz.api.router import Router
from rlviz.api.schemas.anatomy import RunAnatomy
from rlviz.domain.errors import RunFolderError, RunNotFound
from rlviz.domain.limits import DEFAULT_UPDATES, LIMITS
from rlviz.services.use_cases.anatomy import read_anatomy

router = Router(prefix="/runs/{run_id}/anatomy", tag="metrics", lane=Lane.READS)


@router.get("", responses=documented(RunNotFound, RunFolderError))
def get_anatomy(
    run_id: str,
    app: App,
    updates: Annotated[
        int,
        Query(ge=LIMITS.anatomy_updates.minimum, le=LIMITS.anatomy_updates.maximum, description="How many at most."),
    ] = DEFAULT_UPDATES,
) -> RunAnatomy:
    """Advantages, ratios, errors, actions, weights and gradients of some updates, as histograms."""
    return RunAnatomy(run_id=run_id, updates=read_anatomy(app.runs.folder(run_id), updates))
