"""The sinks of a run: other programs that it is delivered to."""

from rlviz.api.dependencies import App
from rlviz.api.problems import documented
from rlviz.api.router import Router
from rlviz.api.schemas.sinks import OfferedSink, RunSink, RunSinks
from rlviz.domain.errors import ExtraMissing, RunFolderError, RunNotFound
from rlviz.domain.sinks import SinkKind
from rlviz.services.use_cases import sinks

router = Router(tag="sinks")


@router.get("/sinks")
def list_sinks(app: App) -> list[OfferedSink]:
    """The programs that runs can be delivered to, where they would go, and what to install for those that are not."""
    return [
        OfferedSink(
            kind=one.kind,
            label=one.kind.label,
            install=one.install,
            place=one.destination.place,
            note=one.destination.note,
        )
        for one in app.sinks.offered()
    ]


@router.get("/runs/{run_id}/sinks", responses=documented(RunNotFound, RunFolderError))
def get_sinks(run_id: str, app: App) -> RunSinks:
    """Where the run was, or shall be, delivered to, and how far each has it."""
    return RunSinks(run_id=run_id, sinks=[_view(one) for one in app.sinks.of(run_id)])


@router.put("/runs/{run_id}/sinks/{kind}", responses=documented(RunNotFound, RunFolderError, ExtraMissing))
def put_sink(run_id: str, kind: SinkKind, app: App) -> RunSinks:
    """Deliver the run there from now on: what it has, and what it gains. Training does not wait for it."""
    app.sinks.add(run_id, [kind])
    return get_sinks(run_id, app)


@router.delete("/runs/{run_id}/sinks/{kind}", responses=documented(RunNotFound, RunFolderError))
def delete_sink(run_id: str, kind: SinkKind, app: App) -> RunSinks:
    """Deliver the run there no more. What is there stays."""
    app.sinks.remove(run_id, kind)
    return get_sinks(run_id, app)


@router.post(
    "/runs/{run_id}/sinks/{kind}/deliver",
    status_code=202,
    responses=documented(RunNotFound, RunFolderError, ExtraMissing),
)
def deliver_to_sink(run_id: str, kind: SinkKind, app: App) -> RunSinks:
    """Deliver now what it lacks of the run, once, or again after it failed. It goes on in a process of its own."""
    app.sinks.deliver(run_id, kind)
    return get_sinks(run_id, app)


def _view(one: sinks.RunSink) -> RunSink:
    record = one.record
    return RunSink(
        kind=record.kind,
        label=record.kind.label,
        live=one.is_live,
        state=one.state,
        place=record.place,
        offline=record.offline,
        renamed=record.renamed,
        rows=record.rows,
        step=record.step,
        waiting_bytes=one.waiting_bytes,
        problem=record.problem,
        attempts=record.attempts,
        under_way=one.attempt.is_under_way,
        next_try_at=one.attempt.next_at,
        updated_at=record.updated_at or None,
    )
