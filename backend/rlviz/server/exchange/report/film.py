"""The film of a run's report: which moments it shows, and their pictures and videos within the size of the file.

A moment is a kept policy that plays one episode; all policies play with the same seed. A run without such clips shows
the videos of its evaluations instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from rlviz.domain.clips import ClipStatus, KeptPolicy, PlayedEpisode, PolicyKind, clip_id
from rlviz.domain.config import RunActor
from rlviz.domain.errors import (
    ArtifactNotFound,
    EnvironmentMissing,
    NotEnoughDisk,
    NothingToEvaluate,
    NotTrusted,
    RunFolderError,
)
from rlviz.domain.evaluation import EvaluationRecord
from rlviz.domain.limits import DEFAULT_EVALUATION_SEED
from rlviz.rundir.clips import Clips
from rlviz.rundir.files import read_size, read_small
from rlviz.rundir.folder import RunFolder, policy_at
from rlviz.server.evaluations.film import FilmService
from rlviz.server.evaluations.models import Clip
from rlviz.server.evaluations.service import EvaluationService
from rlviz.server.exchange.report.story import Cell, Film
from rlviz.server.runs.service import RunService
from rlviz.stats.number_text import decimal

FILMED = 11
"""Policies that are filmed for a report, evenly spaced over the steps, besides the best one."""

MOST_CELLS = 16
"""Maximum number of moments in a file."""

MOST_VIDEO_SHARE = 0.5
"""A video that needs more than this share of the room is left out, and the moment has only its picture."""


@dataclass(frozen=True)
class Moment:
    """A cell whose files are not read yet."""

    cell: Cell
    folder: Path
    picture: Path | None = None
    video: Path | None = None

    def size(self) -> int:
        """Return the bytes of its files, written as Base64. A picture is in the file twice."""
        picture = 0 if self.picture is None else read_size(self.picture)
        video = 0 if self.video is None else read_size(self.video)
        return 2 * base64_size(picture) + base64_size(video)

    def read(self, limit: int) -> Cell:
        """Return the cell with its files; what cannot be read is left out."""
        return replace(
            self.cell,
            picture=_content(self.picture, self.folder, limit),
            video=_content(self.video, self.folder, limit),
        )


@dataclass(frozen=True)
class FilmState:
    """How far the clips are that a report would show.

    ``cause``: why clips are not made, or why one failed; None if nothing is wrong.
    """

    moments: int
    ready: int
    waiting: int
    failed: int
    cause: str | None = None


class ReportFilmService:
    """Chooses the moments of a report, requests their clips, and reads what there is."""

    def __init__(self, runs: RunService, film: FilmService, evaluations: EvaluationService) -> None:
        self._runs, self._film, self._evaluations = runs, film, evaluations

    def request(self, run_id: str) -> FilmState:
        """Request the clips that are missing. Raises RunNotFound, or RunFolderError.

        A run whose policies may not be used is not filmed; the state says why.
        """
        cause = None
        try:
            for policy in self._chosen(run_id):
                self._film.clip(run_id, step=policy.step, seed=DEFAULT_EVALUATION_SEED, greedy=None)
        except (NotTrusted, EnvironmentMissing, NotEnoughDisk, NothingToEvaluate) as error:
            cause = str(error)
        return replace(self.state(run_id), cause=cause) if cause else self.state(run_id)

    def state(self, run_id: str) -> FilmState:
        """Return how far the clips are. Raises RunNotFound, or RunFolderError."""
        chosen, found, greedy = self._chosen(run_id), list[Clip](), self._is_greedy(run_id)
        for policy in chosen:
            with suppress(ArtifactNotFound):  # it was never requested
                found.append(self._film.find(run_id, clip_id(policy.step, DEFAULT_EVALUATION_SEED, greedy)))
        failed = [one for one in found if one.status is ClipStatus.FAILED]
        return FilmState(
            moments=len(chosen),
            ready=sum(one.status is ClipStatus.READY for one in found),
            waiting=sum(one.status is ClipStatus.WAITING for one in found),
            failed=len(failed),
            cause=failed[-1].cause if failed else None,
        )

    def read(self, run_id: str, room: int) -> Film:
        """Return the film of a run in at most ``room`` bytes of Base64. Raises RunNotFound, or RunFolderError."""
        folder = self._runs.folder(run_id)
        moments = self._played(run_id, folder)
        of_policies = bool(moments)
        if not moments:
            moments = self._evaluated(run_id, folder)
        chosen = choose_moments(moments, room)
        cells = [cell for one in chosen if (cell := one.read(room)).picture is not None or cell.video is not None]
        return Film(cells, _notes(len(cells), moments, chosen, of_policies=of_policies, greedy=self._is_greedy(run_id)))

    def _clips(self, run_id: str) -> list[Clip]:
        """Return the clips of single policies that play with the common seed, as the run evaluates them."""
        greedy = self._is_greedy(run_id)
        return [
            clip
            for clip in self._film.clips(run_id)
            if clip.kind == "clip"
            and clip.greedy is greedy
            and clip.seed == DEFAULT_EVALUATION_SEED
            and clip.step is not None
        ]

    def _is_greedy(self, run_id: str) -> bool:
        return self._runs.config(run_id).evaluation.is_greedy

    def _chosen(self, run_id: str) -> list[KeptPolicy]:
        return spread_policies(self._film.policies(run_id).policies, FILMED)

    def _played(self, run_id: str, folder: RunFolder) -> list[Moment]:
        """Return the moments with a clip, by step."""
        clips = Clips(folder)
        found = []
        for clip in sorted(self._clips(run_id), key=lambda one: one.step or 0):
            if not clip.episodes:
                continue
            episode = clip.episodes[0]
            cell = Cell(
                step=episode.step,
                title=f"After {episode.step:,} steps",
                figure=episode.episode_return,
                says=_played_words(episode),
            )
            if clip.video is not None:
                cell = replace(cell, size=(clip.video.width, clip.video.height), seconds=clip.video.duration)
            moment = Moment(
                cell,
                folder.path,
                clips.thumbnail_path(clip.id) if clips.has_thumbnail(clip.id) else None,
                clips.video_path(clip.id) if clips.has_video(clip.id) else None,
            )
            if moment.picture is not None or moment.video is not None:
                found.append(moment)
        return found

    def _evaluated(self, run_id: str, folder: RunFolder) -> list[Moment]:
        """Return the evaluations with a video, by the step of their policy, the newest last."""
        is_played = self._runs.get(run_id).actor is RunActor.HUMAN
        found = []
        for row in reversed(self._evaluations.list(run_id)):
            record = row.parsed()
            if record.summary is None or record.summary.video is None or not self._evaluations.kept(row).video:
                continue
            video, spread = record.summary.video, record.summary.episode_return
            cell = Cell(
                step=record.checkpoint_step,
                title=_evaluated_title(record, is_played=is_played),
                figure=None if spread is None else spread.mean,
                says=_evaluated_words(record),
                size=(video.width, video.height),
                seconds=video.duration,
            )
            found.append(Moment(cell, folder.path, video=folder.evaluations.video_path(row.id)))
        return sorted(found, key=lambda one: one.cell.step or 0)


def spread_policies(policies: Sequence[KeptPolicy], count: int) -> list[KeptPolicy]:
    """Return about ``count`` of ``policies`` (by step), evenly spaced over the steps, and the best one."""
    if not policies:
        return []
    last = policies[-1].step
    wanted = (policy_at(policies, round(last * place / (count - 1))) or policies[0] for place in range(count))
    best = (policy for policy in policies if PolicyKind.BEST in policy.kinds)
    chosen = {policy.step: policy for policy in (*wanted, *best)}
    return [chosen[step] for step in sorted(chosen)]


def choose_moments(moments: Sequence[Moment], room: int) -> list[Moment]:
    """Return as many of ``moments`` as fit into ``room`` bytes, evenly chosen, with the first and the last one.

    A moment whose video takes too much of the room has only its picture, and is left out without one.
    """
    most = int(room * MOST_VIDEO_SHARE)
    small = [replace(one, video=None) if one.size() > most else one for one in moments]
    fitting = [one for one in small if 0 < one.size() <= most]
    for count in range(min(len(fitting), MOST_CELLS), 0, -1):
        places = {round(place * (len(fitting) - 1) / max(1, count - 1)) for place in range(count)}
        chosen = [fitting[place] for place in sorted(places)] if count > 1 else fitting[-1:]
        if sum(one.size() for one in chosen) <= room:
            return chosen
    return []


def base64_size(count: int) -> int:
    """Return the length of ``count`` bytes as Base64."""
    return 4 * -(-count // 3)


def _content(path: Path | None, folder: Path, limit: int) -> bytes | None:
    if path is None:
        return None
    with suppress(OSError, RunFolderError):
        return read_small(path, folder, limit)
    return None


def _notes(
    shown: int, moments: Sequence[Moment], chosen: Sequence[Moment], *, of_policies: bool, greedy: bool
) -> list[str]:
    notes = []
    if shown and of_policies:
        how = "plays greedily" if greedy else "samples its actions"
        notes.append(f"Every policy {how} and starts from the same seed. The bar below a picture is its return.")
    if shown < len(moments):
        what = "policies" if of_policies else "videos"
        if shown:
            notes.append(
                f"It shows {shown} of {len(moments)} {what}, evenly chosen, so that the file stays below 10 MB."
            )
        else:
            notes.append("Its videos are too large for a file of at most 10 MB, so it has no film.")
    with_video = {(one.cell.step, one.cell.title) for one in moments if one.video is not None}
    stills = sum(one.video is None and (one.cell.step, one.cell.title) in with_video for one in chosen)
    if stills:
        have = "1 of them has" if stills == 1 else f"{stills} of them have"
        notes.append(f"{have} only a picture, because the video would be too large.")
    return notes


def _played_words(episode: PlayedEpisode) -> str:
    cut = ", cut off" if episode.cut else ""
    return f"return {decimal(episode.episode_return)} in {episode.episode_length:,} steps{cut}"


def _evaluated_title(record: EvaluationRecord, *, is_played: bool) -> str:
    if is_played:
        return "Played by hand"
    return "Evaluation" if record.checkpoint_step is None else f"After {record.checkpoint_step:,} steps"


def _evaluated_words(record: EvaluationRecord) -> str:
    assert record.summary is not None
    spread, count = record.summary.episode_return, len(record.summary.episodes)
    if spread is None:
        return "a video"
    if count == 1:
        return f"return {decimal(spread.mean)}"
    return f"mean return {decimal(spread.mean)} ± {decimal(spread.std)} over {count:,} episodes"
