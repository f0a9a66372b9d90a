"""Converts episodes that were searched or judged into API schemas."""

from __future__ import annotations

from rlviz.api.schemas.episodes import (
    EpisodeEnding,
    EpisodeEndings,
    EpisodeExample,
    EvaluationJudgement,
    FoundEpisode,
    FoundEpisodes,
    JudgedEvaluation,
    KeyMoment,
    RankedEpisodes,
    ReturnBin,
)
from rlviz.domain.evaluation import EpisodeResult
from rlviz.services.use_cases import episodes, judging


def view_found_episodes(search: episodes.EpisodeSearch, found: episodes.FoundEpisodes) -> FoundEpisodes:
    return FoundEpisodes(
        where=search.where,
        evaluations=found.evaluations,
        searched=found.episodes,
        found=found.found,
        episodes=[_found_episode(each) for each in found.first],
    )


def _found_episode(found: episodes.FoundEpisode) -> FoundEpisode:
    return FoundEpisode(
        run_id=found.run_id,
        evaluation_id=found.evaluation_id,
        checkpoint_step=found.checkpoint_step,
        deterministic=found.deterministic,
        has_video=found.has_video,
        result=EpisodeResult.model_validate(found.result),
    )


def view_judgement(judged: judging.JudgedEvaluation) -> EvaluationJudgement:
    """Positions, from 0, as indices, from 1."""
    record, ranking = judged.record, judged.ranking
    results = record.summary.episodes if record.summary is not None else []
    return EvaluationJudgement(
        run_id=record.run_id,
        evaluation_id=record.id,
        ranking=RankedEpisodes(worst=ranking.worst + 1, median=ranking.median + 1, best=ranking.best + 1),
        bins=[
            ReturnBin(low=each.low, high=each.high, episodes=[at + 1 for at in each.episodes]) for each in judged.bins
        ],
        recorded=judged.moments is not None,
        moments=[
            KeyMoment(
                episode=place + 1,
                kind=moment.kind,
                step=moment.step,
                frame=results[place].first_frame + moment.step,
                amount=moment.amount,
            )
            for place, moments in sorted((judged.moments or {}).items())
            for moment in moments
        ],
    )


def view_endings(found: judging.RunEndings) -> EpisodeEndings:
    return EpisodeEndings(
        evaluations=[
            JudgedEvaluation(
                run_id=record.run_id, evaluation_id=record.id, checkpoint_step=record.checkpoint_step, episodes=played
            )
            for record, played in zip(found.evaluations, found.played, strict=True)
        ],
        without_records=found.without_records,
        episodes=found.episodes,
        endings=[_ending(each) for each in found.endings],
    )


def _ending(judged: judging.JudgedEnding) -> EpisodeEnding:
    example = judged.example
    return EpisodeEnding(
        kind=judged.ending.kind,
        title=judged.ending.title,
        episodes=len(judged.ending.episodes),
        share=judged.share,
        mean_return=judged.mean_return,
        shares=judged.shares,
        example=EpisodeExample(
            run_id=example.record.run_id,
            evaluation_id=example.record.id,
            has_video=example.has_video,
            result=example.result,
        ),
    )
