"""Judge evaluations: which episodes are worth watching, and how the episodes of many evaluations end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from cachetools import LRUCache

from rlviz.confined import Confined
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import EvaluationNotFound, InvalidRequest, RunFolderError, TooMuchToRead, UnknownName
from rlviz.domain.evaluation import EpisodeResult, EvaluationRecord
from rlviz.learning.environments.custom import find_environment, learned_rewards
from rlviz.rundir.files import damage_error, is_file
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.evaluations import completed_evaluations
from rlviz.server.evaluations.episodes import RecordedEpisodes
from rlviz.server.evaluations.models import (
    EpisodeEnding,
    EpisodeEndings,
    EpisodeExample,
    EvaluationJudgement,
    JudgedEvaluation,
    KeyMoment,
    RankedEpisodes,
    ReturnBin,
)
from rlviz.server.evaluations.service import EvaluationService
from rlviz.server.runs.service import RunService
from rlviz.stats.judging import (
    Component,
    Ending,
    Ends,
    group_endings,
    histogram,
    name_squares,
    rank_returns,
)

CACHED_EVALUATIONS = 1_000
"""Number of judgements to cache, of about 30 kB each."""


@dataclass(frozen=True)
class JudgedEnd:
    """The end of one episode of one evaluation."""

    record: EvaluationRecord
    result: EpisodeResult
    has_video: bool


class JudgingService:
    """Judges evaluations. Results are cached, since records of a completed evaluation never change."""

    def __init__(
        self, database: Database, runs: RunService, evaluations: EvaluationService, confined: Confined
    ) -> None:
        """``confined``: reads step records."""
        self._confined = confined
        self._database, self._runs, self._evaluations = database, runs, evaluations
        self._cache: LRUCache[tuple[str, str], RecordedEpisodes] = LRUCache(CACHED_EVALUATIONS)
        self._lock = Lock()

    def judge(self, run_id: str, evaluation_id: str) -> EvaluationJudgement:
        """Judge one evaluation. Raises RunNotFound, EvaluationNotFound (also if it is not completed) or
        RunFolderError."""
        record = self._evaluations.get(run_id, evaluation_id).parsed()
        if record.summary is None:
            raise EvaluationNotFound(
                f"Evaluation {evaluation_id!r} is {record.status.value}; only completed ones can be judged."
            )
        if not record.summary.episodes:
            raise EvaluationNotFound(f"Evaluation {evaluation_id!r} is a video without results of its episodes.")
        recorded = self._recorded(record)
        episodes = record.summary.episodes
        returns = [episode.episode_return for episode in episodes]
        ranking = rank_returns(returns)
        return EvaluationJudgement(  # which counts episodes from 1
            run_id=record.run_id,
            evaluation_id=record.id,
            ranking=RankedEpisodes(worst=ranking.worst + 1, median=ranking.median + 1, best=ranking.best + 1),
            bins=[
                ReturnBin(low=one.low, high=one.high, episodes=[at + 1 for at in one.episodes])
                for one in histogram(returns)
            ],
            recorded=recorded is not None,
            moments=[] if recorded is None else _key_moments(recorded, episodes),
        )

    def endings(self, run_ids: Sequence[str]) -> EpisodeEndings:
        """Return the ways to end over all evaluations of these runs, which must have one environment.

        Raises RunNotFound or InvalidRequest.
        """
        configs = [self._runs.config(run_id) for run_id in run_ids]
        for config in configs:
            if (config.env_id, config.env_options) != (configs[0].env_id, configs[0].env_options):
                raise InvalidRequest.field(
                    "/runs",
                    f"Runs {configs[0].run_id!r} and {config.run_id!r} have different environments, whose states "
                    "cannot be compared. Choose runs of one environment.",
                )
        with self._database.read() as session:
            records = [row.parsed() for row in completed_evaluations(session, run_ids)]
        found = [(record, recorded) for record in records if (recorded := self._readable(record)) is not None]
        # The code of a custom environment may have changed: only evaluations with the newest observations count.
        found = [each for each in found if list(each[1].names) == list(found[-1][1].names)]
        ends = [_end(self._has_video(record), record, recorded) for record, recorded in found]
        groups = group_endings(_pooled([recorded for _, recorded in found], configs[0])) if found else []
        everyone = [end for of_one in ends for end in of_one]
        owner = np.repeat(np.arange(len(ends)), [len(of_one) for of_one in ends])
        return EpisodeEndings(
            evaluations=[
                JudgedEvaluation(
                    run_id=record.run_id,
                    evaluation_id=record.id,
                    checkpoint_step=record.checkpoint_step,
                    episodes=len(of_one),
                )
                for (record, _), of_one in zip(found, ends, strict=True)
            ],
            without_records=len(records) - len(found),
            episodes=len(everyone),
            endings=[_judged(group, everyone, owner, len(ends)) for group in groups],
        )

    def _readable(self, record: EvaluationRecord) -> RecordedEpisodes | None:
        """Return the recorded episodes; None also if the file cannot be read, so that others can still be judged."""
        try:
            return self._recorded(record)
        except (RunFolderError, TooMuchToRead):
            return None

    def _recorded(self, record: EvaluationRecord) -> RecordedEpisodes | None:
        key = record.run_id, record.id
        with self._lock:
            known = self._cache.get(key)
        if known is not None:
            return known
        folder = self._runs.folder(record.run_id)
        path = folder.evaluations.steps_path(record.id)
        try:
            recorded: RecordedEpisodes = self._confined.call(
                "rlviz.server.evaluations.episodes:read_file",
                path,
                folder.path,
                learned_rewards(self._runs.config(record.run_id)),
            )
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise damage_error(path, folder.path, f"Some of its records cannot be read ({error}).") from error
        with self._lock:
            self._cache[key] = recorded
        return recorded

    def _has_video(self, record: EvaluationRecord) -> bool:
        folder = self._runs.folder(record.run_id)
        return is_file(folder.evaluations.video_path(record.id), folder.path)


def _key_moments(recorded: RecordedEpisodes, episodes: Sequence[EpisodeResult]) -> list[KeyMoment]:
    """Return the key moments of all episodes, which are counted from 1."""
    return [
        KeyMoment(
            episode=place + 1,
            kind=moment.kind,
            step=moment.step,
            frame=episodes[place].first_frame + moment.step,
            amount=moment.amount,
        )
        for place, moments in sorted(recorded.moments.items())
        for moment in moments
    ]


def _end(has_video: bool, record: EvaluationRecord, recorded: RecordedEpisodes) -> list[JudgedEnd]:
    episodes = record.summary.episodes if record.summary is not None else []
    return [JudgedEnd(record, episodes[end.episode], has_video) for end in recorded.ends]


def _pooled(recorded: Sequence[RecordedEpisodes], config: RunConfig) -> Ends:
    ends = [end for of_one in recorded for end in of_one.ends]
    width = len(recorded[0].names)
    state = np.array([end.state for end in ends], dtype=np.float64).reshape(len(ends), width)
    before = np.array([end.state_before for end in ends], dtype=np.float64).reshape(len(ends), width)
    typical = np.concatenate([of_one.typical_state for of_one in recorded])
    seen = np.concatenate([state, typical])
    components = [
        Component(name, unit, is_flag=bool(np.isin(seen[:, place], (0, 1)).all()))
        for place, (name, unit) in enumerate(zip(recorded[0].names, recorded[0].units, strict=True))
    ]
    return Ends(
        state=state,
        state_before=before,
        reward=np.array([end.reward for end in ends], dtype=np.float64),
        terminated=np.array([end.terminated for end in ends], dtype=np.intp),
        typical_state=typical,
        typical_reward=np.concatenate([of_one.typical_reward for of_one in recorded]),
        components=() if recorded[0].is_discrete else components,
        places=_places(config) if recorded[0].is_discrete else {},
    )


def _places(config: RunConfig) -> dict[int, str]:
    try:
        return name_squares(find_environment(config).squares)
    except UnknownName:
        return {}


def _judged(ending: Ending, ends: Sequence[JudgedEnd], owner: np.ndarray, evaluations: int) -> EpisodeEnding:
    members = [ends[at] for at in ending.episodes]
    counts = np.bincount(owner[list(ending.episodes)], minlength=evaluations)
    totals = np.bincount(owner, minlength=evaluations)
    example = _example(members)
    return EpisodeEnding(
        kind=ending.kind,
        title=ending.title,
        episodes=len(ending.episodes),
        share=len(members) / len(ends),
        mean_return=float(np.mean([end.result.episode_return for end in members])),
        shares=(counts / np.maximum(totals, 1)).tolist(),
        example=EpisodeExample(
            run_id=example.record.run_id,
            evaluation_id=example.record.id,
            has_video=example.has_video,
            result=example.result,
        ),
    )


def _example(members: Sequence[JudgedEnd]) -> JudgedEnd:
    """Return the episode with the median return, of the newest evaluation with a video or else of the newest."""
    newest = max((end for end in members), key=lambda end: (end.has_video, end.record.id)).record.id
    among = sorted((end for end in members if end.record.id == newest), key=lambda end: end.result.episode_return)
    return among[(len(among) - 1) // 2]
