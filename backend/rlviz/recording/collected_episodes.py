"""A chapter: some episodes that were not played for an evaluation, kept as one. It has a record, and step records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rlviz.domain.evaluation import EpisodeResult, StepsFacts, StepsWanted
from rlviz.domain.recording import Detail
from rlviz.records.about import RecordedEpisode, RecordsAbout
from rlviz.records.writer import Row, StepWriter
from rlviz.rundir.folder import RunFolder

MAX_ROWS = 20_000
"""Records of a chapter: they are held in memory until it is written."""


@dataclass(eq=False)
class EpisodeRows:
    """An episode as rows, the reset included; ``squashed`` as in the metadata of a file."""

    begun: RecordedEpisode
    rows: list[Row] = field(default_factory=list)
    squashed: bool = False

    @property
    def length(self) -> int:
        return self.rows[-1].index


class CollectedEpisodes:
    """What a StepRecorder hands its rows to, if they are not written at once."""

    def __init__(self) -> None:
        self.squashed = False
        self._episodes: list[EpisodeRows] = []
        self.count = 0
        """Of all rows that are held."""

    def begin(self, episode: RecordedEpisode) -> None:
        self._episodes.append(EpisodeRows(episode))

    def add(self, row: Row) -> None:
        self._episodes[-1].rows.append(row)
        self.count += 1

    def __len__(self) -> int:
        return len(self._episodes)

    def take(self) -> list[EpisodeRows]:
        """The episodes that were played to their end, which are held no longer."""
        episodes, self._episodes, self.count = self._episodes, [], 0
        for episode in episodes:
            episode.squashed = self.squashed
        return [one for one in episodes if one.rows and (one.rows[-1].terminated or one.rows[-1].truncated)]


def write_collected(
    folder: RunFolder, evaluation_id: str, about: RecordsAbout, wanted: StepsWanted, episodes: Sequence[EpisodeRows]
) -> StepsFacts:
    """Write the step records of ``episodes``, at the detail that is ``wanted``. Raises OSError or RunFolderError."""
    path = folder.evaluations.steps_path(evaluation_id)
    path.parent.mkdir(exist_ok=True)
    about = about.model_copy(update={"evaluation_id": evaluation_id, "frames_every": wanted.frames_every})
    with StepWriter(path, folder.path, about, max_bytes=wanted.max_bytes) as writer:
        for place, episode in enumerate(episodes):
            writer.begin(episode.begun)
            writer.squashed = episode.squashed
            for row in episode.rows:
                row.episode = place
                if not wanted.detail.is_at_least(Detail.STANDARD):
                    row.reading = {}
                if row.index % wanted.frames_every and row is not episode.rows[-1]:
                    row.frame_hash = None
                writer.add(row)
    return writer.facts()


def results_of(episodes: Sequence[EpisodeRows]) -> list[EpisodeResult]:
    """What came of each, at its place in the chapter and in a video of all of it."""
    results, first_frame = [], 0
    for number, episode in enumerate(episodes, 1):
        last = episode.rows[-1]
        results.append(
            EpisodeResult(
                index=number,
                episode_return=last.episode_return,
                episode_length=last.index,
                terminated=last.terminated,
                truncated=last.truncated,
                seed=episode.begun.seed,
                first_frame=first_frame,
            )
        )
        first_frame += len(episode.rows)
    return results
