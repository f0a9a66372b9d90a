"""Scripted evaluations: the recorded video, step records and results, under the requested id."""

from __future__ import annotations

import hashlib
import io
import time
from collections.abc import Sequence
from typing import Any

from rlviz.domain.config import RunActor
from rlviz.domain.evaluation import EpisodeResult, EvaluationRecord, EvaluationStatus, StepsFacts
from rlviz.domain.ids import utc
from rlviz.launchers.base import Exit
from rlviz.learning.playing.summary import summarize
from rlviz.learning.records.about import METADATA, RecordsAbout
from rlviz.rundir.files import write_atomically
from rlviz.rundir.folder import RunFolder
from rlviz.testing.recording import Recording, recording, recording_for
from rlviz.testing.scripted import Script, ScriptedWorker, WorkerEnded


def play_evaluation(folder: RunFolder, evaluation_id: str, script: Script, worker: ScriptedWorker) -> bool:
    """Play the evaluation that ``eval/<evaluation_id>.json`` asks for. Returns whether it completed.

    More episodes than were recorded repeat those; the video shows each once. Raises RunFolderError, and WorkerEnded
    once the worker was killed.
    """
    record = folder.evaluations.read(evaluation_id)
    if record.status.is_final:
        return record.status is EvaluationStatus.COMPLETED
    config = folder.read_config()
    recorded = recording(script.recording) if script.recording else recording_for(config)
    theirs = recorded.final_evaluation()
    assert theirs.summary is not None
    record = _update(folder, record, status=EvaluationStatus.RUNNING, started_at=utc(time.time()), episodes_done=0)
    if config.actor is RunActor.POLICY and record.checkpoint is None:
        return _fail(folder, record, "The evaluation names no checkpoint; train the run first, then evaluate again.")
    results = []
    for place in range(record.episodes):
        episode = theirs.summary.episodes[place % len(theirs.summary.episodes)]
        if script.speed is not None:
            worker.rest(_seconds_of(episode, theirs) / script.speed)
        worker.check()
        if worker.stop_asked.is_set():
            _fail(folder, record, "The evaluation was interrupted (SystemExit); start it again.")
            raise WorkerEnded(Exit(128 + 15))
        results.append(episode.model_copy(update={"index": place + 1, "seed": record.seed + place}))
        record = _update(folder, record, episodes_done=len(results))
    video = None
    if record.video and theirs.summary.video is not None:
        target = folder.evaluations.video_path(record.id)
        write_atomically(target, recorded.read(theirs.summary.video.file), folder.path)
        video = theirs.summary.video.model_copy(update={"file": target.relative_to(folder.path).as_posix()})
    steps = copy_steps(recorded, theirs, record, folder) if record.steps is not None else None
    recording_facts = theirs.summary.recording if steps is not None else None
    summary = summarize(results, video, steps, None, recording_facts)
    _update(folder, record, status=EvaluationStatus.COMPLETED, ended_at=utc(time.time()), summary=summary)
    return True


def copy_steps(
    recorded: Recording, theirs: EvaluationRecord, record: EvaluationRecord, folder: RunFolder
) -> StepsFacts | None:
    """Write the step records of ``theirs``, as many episodes as ``record`` has, as those of ``record``.

    Returns None if the recording has none. Raises OSError and RunFolderError.
    """
    if theirs.summary is None or theirs.summary.steps is None:
        return None
    import pyarrow
    import pyarrow.compute
    import pyarrow.parquet

    arrow: Any = pyarrow
    source = arrow.parquet.ParquetFile(io.BytesIO(recorded.read(theirs.summary.steps.file)))
    about = RecordsAbout.model_validate_json(source.metadata.metadata[METADATA])
    table = source.read()
    episodes = [about.episodes[place % len(about.episodes)] for place in range(record.episodes)]
    parts = []
    for place in range(record.episodes):
        rows = table.filter(arrow.compute.equal(table["episode"], place % len(about.episodes)))
        column = arrow.array([place] * rows.num_rows, table.schema.field("episode").type)
        parts.append(rows.set_column(table.schema.get_field_index("episode"), table.schema.field("episode"), column))
    about = about.model_copy(
        update={
            "run_id": folder.run_id,
            "evaluation_id": record.id,
            "episodes": [one.model_copy(update={"seed": record.seed + at}) for at, one in enumerate(episodes)],
        }
    )
    content = _parquet(arrow, arrow.concat_tables(parts), about)
    target = folder.evaluations.steps_path(record.id)
    write_atomically(target, content, folder.path)
    return StepsFacts(
        file=target.relative_to(folder.path).as_posix(),
        rows=sum(part.num_rows for part in parts),
        size_bytes=len(content),
        blake2b=hashlib.blake2b(content).hexdigest(),
        cut=False,
    )


def _parquet(arrow: Any, table: Any, about: RecordsAbout) -> bytes:
    target = io.BytesIO()
    with arrow.parquet.ParquetWriter(target, table.schema, compression="zstd", use_dictionary=["actor"]) as writer:
        writer.add_key_value_metadata({METADATA: about.model_dump_json().encode()})
        writer.write_table(table)
    return target.getvalue()


def _seconds_of(episode: EpisodeResult, theirs: EvaluationRecord) -> float:
    """Return the seconds that the recorded evaluation took for one episode, by its share of all steps."""
    assert theirs.summary is not None
    if theirs.started_at is None or theirs.ended_at is None:
        return 0.0
    seconds = (theirs.ended_at - theirs.started_at).total_seconds()
    return seconds * episode.episode_length / max(1, _steps_of(theirs.summary.episodes))


def _steps_of(episodes: Sequence[EpisodeResult]) -> int:
    return sum(episode.episode_length for episode in episodes)


def _fail(folder: RunFolder, record: EvaluationRecord, cause: str) -> bool:
    _update(folder, record, status=EvaluationStatus.FAILED, ended_at=utc(time.time()), cause=cause, summary=None)
    return False


def _update(folder: RunFolder, record: EvaluationRecord, **changes: Any) -> EvaluationRecord:
    changed = record.model_copy(update=changes)
    folder.evaluations.write(changed)
    return changed
