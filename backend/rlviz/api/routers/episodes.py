"""Episodes of evaluations, searched and judged."""

from typing import Annotated, Literal

from fastapi import Query

from rlviz.api.dependencies import App
from rlviz.api.episode_views import view_endings, view_found_episodes, view_judgement
from rlviz.api.lanes import Lane
from rlviz.api.names import named
from rlviz.api.problems import documented
from rlviz.api.router import Router
from rlviz.api.schemas.episodes import EpisodeEndings, EvaluationJudgement, FoundEpisodes
from rlviz.domain.errors import ArtifactNotFound, EvaluationNotFound, InvalidRequest, RunFolderError, RunNotFound
from rlviz.domain.limits import DEFAULT_FOUND_EPISODES, LIMITS
from rlviz.services.use_cases.episodes import EpisodeSearch

router = Router(tag="evaluations", lane=Lane.COMPARISONS)

RUNS = LIMITS.compared_runs

Sort = Literal["return", "-return", "length", "-length", "step", "-step", "episode", "-episode", "seed", "-seed"]


Runs = Annotated[str, Query(max_length=10_000, description=f"Run ids, comma-separated, up to {RUNS.maximum}.")]


@router.get("/episodes", responses=documented(RunNotFound, InvalidRequest))
def search_episodes(
    app: App,
    runs: Runs,
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


@router.get("/episodes/endings", responses=documented(RunNotFound, ArtifactNotFound, RunFolderError, InvalidRequest))
def get_episode_endings(app: App, runs: Runs) -> EpisodeEndings:
    """How the episodes of all evaluations of some runs of one environment end."""
    return view_endings(app.judging.endings(named(runs, "runs", RUNS)))


@router.get(
    "/runs/{run_id}/evaluations/{evaluation_id}/judgement",
    responses=documented(RunNotFound, EvaluationNotFound, RunFolderError),
)
def get_judgement(run_id: str, evaluation_id: str, app: App) -> EvaluationJudgement:
    """The worst, median and best episode of an evaluation, how its returns are spread, and its key moments."""
    return view_judgement(app.judging.judge(run_id, evaluation_id))
