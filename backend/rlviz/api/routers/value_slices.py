"""Value slices of a run."""

from typing import Annotated

from fastapi import Query, Response
from starlette.concurrency import run_in_threadpool

from rlviz.api.dependencies import App
from rlviz.api.film_views import view_value_slice
from rlviz.api.polling import wait_for
from rlviz.api.problems import documented
from rlviz.api.router import Router
from rlviz.api.schemas.value_slices import RunValueSlice, SliceUnderWay
from rlviz.domain.errors import (
    InvalidRequest,
    NotEnoughDisk,
    NothingToEvaluate,
    NotSliceable,
    RunFolderError,
    RunNotFound,
)
from rlviz.domain.limits import MAX_TIMESTEPS

router = Router(prefix="/runs/{run_id}", tag="film")

Component = Annotated[str, Query(min_length=1, max_length=200, description="Its place from 0, or its name.")]


@router.get(
    "/value-slice",
    response_model=RunValueSlice,
    responses={
        202: {"model": SliceUnderWay, "description": "It is being read; ask again"},
        **documented(RunNotFound, NothingToEvaluate, NotSliceable, InvalidRequest, NotEnoughDisk, RunFolderError),
    },
)
async def get_value_slice(
    run_id: str,
    app: App,
    x: Component,
    y: Component,
    checkpoint_step: Annotated[
        int | None,
        Query(ge=0, le=MAX_TIMESTEPS, description="The newest policy not beyond it; the newest if left out."),
    ] = None,
    at: Annotated[
        str | None,
        Query(max_length=40_000, description="Where the other components are held: all, comma-separated."),
    ] = None,
) -> Response | RunValueSlice:
    """What the policy expects over two components of the observation."""
    wanted = await run_in_threadpool(app.value_slices.ask, run_id, x=x, y=y, step=checkpoint_step, at=at)
    found = await wait_for(lambda: app.value_slices.look(wanted))
    if found is None:
        under_way = SliceUnderWay(run_id=run_id, step=wanted.step)
        return Response(under_way.model_dump_json(), status_code=202, media_type="application/json")
    return view_value_slice(wanted, found)
