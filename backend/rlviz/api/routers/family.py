"""The runs that a run was forked from, beside, and into."""

from __future__ import annotations

from fastapi import APIRouter

from rlviz.api.dependencies import App
from rlviz.api.problems import documented
from rlviz.api.schemas import Relative, RunFamily, SettingChange
from rlviz.domain.errors import RunNotFound
from rlviz.services.use_cases import family

router = APIRouter(prefix="/runs/{run_id}/family", tags=["snapshots"])


@router.get("", responses=documented(RunNotFound))
def get_family(run_id: str, app: App) -> RunFamily:
    """The parent of a fork, the other forks of that one, and its own, with what was changed at each."""
    found = app.family.of(run_id)
    return RunFamily(
        own=_view(found.own),
        parent=None if found.parent is None else _view(found.parent),
        siblings=[_view(one) for one in found.siblings],
        children=[_view(one) for one in found.children],
    )


def _view(one: family.Relative) -> Relative:
    row = one.row
    return Relative(
        run_id=one.run_id,
        deleted=row is None,
        name=None if row is None else row.name,
        status=None if row is None else row.state,
        best_moving_average=None if row is None else row.best_moving_average,
        forked_at=one.forked_at,
        changes=[SettingChange(name=c.name, before=c.before, after=c.after) for c in one.changes],
    )
