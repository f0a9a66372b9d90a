"""The runs that a run was forked from, beside, and into."""

from dataclasses import asdict

from rlviz.api.dependencies import App
from rlviz.api.lanes import Lane
from rlviz.api.problems import documented
from rlviz.api.router import Router
from rlviz.api.schemas.family import Relative, RunFamily, SettingChange
from rlviz.domain.errors import RunNotFound
from rlviz.services.use_cases import family

router = Router(prefix="/runs/{run_id}/family", tag="snapshots", lane=Lane.READS)


@router.get("", responses=documented(RunNotFound))
def get_family(run_id: str, app: App) -> RunFamily:
    """The runs that it was forked from, and all that were forked from those, with what was changed at each fork."""
    found = app.family.of(run_id)
    return RunFamily(run_id=run_id, members=[_view(one) for one in found.members], whole=found.is_whole)


def _view(one: family.Relative) -> Relative:
    row = one.row
    return Relative(
        run_id=one.run_id,
        deleted=row is None,
        name=None if row is None else row.name,
        status=None if row is None else row.state,
        best_moving_average=None if row is None else row.best_moving_average,
        parent_id=one.parent_id,
        forked_at=one.forked_at,
        changes=[SettingChange(**asdict(change)) for change in one.changes],
    )
