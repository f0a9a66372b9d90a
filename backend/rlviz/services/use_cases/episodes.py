"""Searches the episodes of evaluations by what the catalogue contains of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rlviz.analysis.condition_language import QueryError
from rlviz.analysis.judging.query import Columns, parse_query
from rlviz.catalog.database import Database
from rlviz.catalog.evaluations import completed_evaluations
from rlviz.catalog.models import EvaluationRow
from rlviz.catalog.runs import get_run
from rlviz.domain.errors import InvalidRequest
from rlviz.rundir.files import names_in
from rlviz.rundir.folder import RunFolder
from rlviz.settings import Settings


@dataclass(frozen=True)
class EpisodeSearch:
    """``where``: a condition in the language of ``analysis/judging/query.py``. ``sort``: one of its fields, with ``-``
    in front for descending order."""

    run_ids: Sequence[str]
    where: str = ""
    sort: str = "return"
    limit: int = 100


@dataclass(frozen=True)
class FoundEpisode:
    run_id: str
    evaluation_id: str
    checkpoint_step: int | None
    deterministic: bool
    has_video: bool
    result: dict[str, Any]
    """An ``EpisodeResult`` with its run and evaluation."""


@dataclass(frozen=True)
class FoundEpisodes:
    evaluations: int
    episodes: int
    """Number of episodes that were searched."""
    found: int
    first: list[FoundEpisode]


class EpisodeService:
    def __init__(self, settings: Settings, database: Database) -> None:
        self._settings, self._database = settings, database

    def search(self, wanted: EpisodeSearch) -> FoundEpisodes:
        """The first of all episodes that fulfil the condition. Raises RunNotFound or InvalidRequest."""
        try:
            condition = parse_query(wanted.where)
        except QueryError as error:
            raise InvalidRequest.field("/where", str(error)) from error
        with self._database.read() as session:
            for run_id in wanted.run_ids:
                get_run(session, run_id)
            rows = completed_evaluations(session, wanted.run_ids)
        candidates = self._episodes(rows)
        columns = _columns(candidates)
        kept = np.flatnonzero(condition(columns))
        name = wanted.sort.removeprefix("-")
        key = columns[name][kept]
        order = kept[np.argsort(-key if wanted.sort.startswith("-") else key, kind="stable")]
        first = [candidates[int(at)] for at in order[: wanted.limit]]
        return FoundEpisodes(len(rows), len(candidates), len(kept), first)

    def _episodes(self, rows: Sequence[EvaluationRow]) -> list[FoundEpisode]:
        videos = {run_id: self._videos(run_id) for run_id in {row.run_id for row in rows}}
        return [
            FoundEpisode(
                run_id=row.run_id,
                evaluation_id=row.id,
                checkpoint_step=row.record.get("checkpoint_step"),
                deterministic=row.record.get("deterministic", True),
                has_video=f"{row.id}.mp4" in videos[row.run_id],
                result=result,
            )
            for row in rows
            for result in row.record["summary"]["episodes"]
        ]

    def _videos(self, run_id: str) -> frozenset[str]:
        folder = RunFolder(self._settings.runs_dir, run_id)
        return frozenset(names_in(folder.evaluations.path, folder.path, "eval_*.mp4"))


def _columns(episodes: Sequence[FoundEpisode]) -> Columns:
    """A column of shape (n,) for each field and flag of the query language."""
    results = [episode.result for episode in episodes]
    numbers = {
        "return": [result["episode_return"] for result in results],
        "length": [result["episode_length"] for result in results],
        "step": [episode.checkpoint_step for episode in episodes],
        "episode": [result["index"] for result in results],
        "seed": [result["seed"] for result in results],
    }
    flags = {
        "terminated": [result["terminated"] for result in results],
        "truncated": [result["truncated"] for result in results],
        "deterministic": [episode.deterministic for episode in episodes],
        "video": [episode.has_video for episode in episodes],
    }
    return {name: np.array(values, dtype=np.float64) for name, values in numbers.items()} | {
        name: np.array(values, dtype=np.bool_) for name, values in flags.items()
    }
