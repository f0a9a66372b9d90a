"""The tags that runs have."""

from rlviz.api.dependencies import App
from rlviz.api.router import Router
from rlviz.api.schemas.runs import TagCount, TagList

router = Router(tag="runs")


@router.get("/tags")
def list_tags(app: App) -> TagList:
    """Every tag that some run has, with the number of runs."""
    return TagList(tags=[TagCount(name=name, runs=runs) for name, runs in app.runs.tags()])
