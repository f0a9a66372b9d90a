"""Episodes of evaluations, searched."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from rlviz.api.dependencies import App
from rlviz.api.names import named
from rlviz.api.problems import documented
from rlviz.api.schemas import FoundEpisodes
from rlviz.api.views import view_found_episodes
from rlviz.domain.errors import InvalidRequest, RunNotFound
from rlviz.domain.limits import DEFAULT_FOUND_EPISODES, LIMITS
from rlviz.services.use_cases.episodes import EpisodeSearch

router = APIRouter(tags=["evaluations"])

RUNS = LIMITS.compared_runs

Sort = Literal["return", "-return", "length", "-length", "step", "-step", "episode", "-episode", "seed", "-seed"]


@router.get("/episodes", responses=documented(RunNotFound, InvalidRequest))
def search_episodes(
    app: App,
    runs: Annotated[str, Query(max_length=10_000, description=f"Run ids, comma-separated, up to {RUNS.maximum}.")],
    where: Annotated[
        str,
        Query(max_length=LIMITS.episode_search.maximum, description="A condition: return < 100 and length > 200."),
    ] = "",
    sort: Annotated[Sort, Query(description="From the least, or with a minus from the greatest.")] = "return",
    limit: Annotated[
        int,
        Query(ge=LIMITS.found_episodes.minimum, le=LIMITS.found_episodes.maximum, description="How many at most."),
    ] = DEFAULT_FOUND_EPISODES,
) -> FoundEpisodes:
    """Search the episodes of all completed evaluations of some runs."""
    search = EpisodeSearch(named(runs, "runs", RUNS), where, sort, limit)
    return view_found_episodes(search, app.episodes.search(search))
