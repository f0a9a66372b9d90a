"""The trash: deleted runs, until they are removed for good."""

from rlviz.api.dependencies import App
from rlviz.api.lanes import Lane, in_lane
from rlviz.api.problems import documented
from rlviz.api.router import Router
from rlviz.api.schemas.trash import DeletedRun, TrashList
from rlviz.domain.errors import RunNotFound
from rlviz.domain.times import utc

router = Router(prefix="/trash", tag="trash", lane=Lane.CHANGES)


@router.get("")
@in_lane(None)
def list_trash(app: App) -> TrashList:
    """The deleted runs, the last deleted first."""
    runs = [
        DeletedRun(
            id=run.id,
            name=run.name,
            algo=run.config.algo if run.config else None,
            env_id=run.config.env_id if run.config else None,
            deleted_at=utc(run.deleted_at),
            removed_at=utc(run.removed_at),
            size_bytes=run.size_bytes,
        )
        for run in app.deleted.list()
    ]
    return TrashList(runs=runs, total_bytes=sum(run.size_bytes for run in runs))


@router.delete("", status_code=204)
def empty_trash(app: App) -> None:
    """Remove all deleted runs for good."""
    app.deleted.empty()


@router.delete("/{run_id}", status_code=204, responses=documented(RunNotFound))
def remove_deleted_run(run_id: str, app: App) -> None:
    """Remove a deleted run, with all its files, for good."""
    app.deleted.remove(run_id)
