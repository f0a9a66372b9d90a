"""Combine the videos of two evaluations side by side, in a separate process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from threading import Lock

from rlviz.child_environment import child_environment
from rlviz.domain.errors import ArtifactNotFound, Conflict, VideoNotWritten
from rlviz.domain.evaluation import EvaluationRecord
from rlviz.importing import module_command
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.evaluations.service import EvaluationService
from rlviz.server.runs.service import RunService

TIME_LIMIT_SECONDS = 240.0
"""Timeout for making a video. On idle cores, 30 seconds of video take 10 to 20 seconds."""


class SideBySideVideos:
    """Makes one video at a time. ``close`` can be called from any thread."""

    def __init__(
        self, runs: RunService, evaluations: EvaluationService, time_limit: float = TIME_LIMIT_SECONDS
    ) -> None:
        self._runs, self._evaluations, self._time_limit = runs, evaluations, time_limit
        self._is_busy, self._lock = Lock(), Lock()
        self._process: subprocess.Popen[str] | None = None
        self._closed = False

    def write(self, first: str, second: str, target: Path) -> None:
        """Write the video to ``target``.

        ``first`` and ``second`` are RUN/EVALUATION, or a run id for its newest evaluation with a video. Raises
        RunNotFound, EvaluationNotFound, ArtifactNotFound without a video, Conflict while another is being made, and
        VideoNotWritten.
        """
        parts = [self._part(first), self._part(second)]
        if not self._is_busy.acquire(blocking=False):
            raise Conflict("Another video of two runs is being made. Try again when it is ready.")
        try:
            self._run(json.dumps({"parts": parts, "target": str(target)}))
        finally:
            self._is_busy.release()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._process is not None:
                _kill(self._process)

    def _part(self, wanted: str) -> dict[str, str]:
        run_id, _, evaluation_id = wanted.partition("/")
        run, row = self._runs.get(run_id), self._evaluation(run_id, evaluation_id)
        path = self._runs.folder(run_id).evaluations.video_path(row.id)
        return {"path": str(path), "title": _ascii(_title(run)), "subtitle": _subtitle(row.parsed())}

    def _evaluation(self, run_id: str, evaluation_id: str) -> EvaluationRow:
        rows = [self._evaluations.get(run_id, evaluation_id)] if evaluation_id else self._evaluations.list(run_id)
        for row in rows:
            if self._evaluations.kept(row).video:
                return row
        if evaluation_id:
            raise ArtifactNotFound(f"Evaluation {evaluation_id!r} of run {run_id!r} has no video, or it was deleted.")
        raise ArtifactNotFound(f"Run {run_id!r} has no video. Evaluate it, then try again.")

    def _run(self, wanted: str) -> None:
        with self._lock:
            if self._closed:
                raise VideoNotWritten("The service is ending.")
            process = self._process = subprocess.Popen(
                module_command("rlviz.learning.playing.side_by_side"),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                env=child_environment(),
                start_new_session=True,
            )
        try:
            _, errors = process.communicate(wanted, timeout=self._time_limit)
        except subprocess.TimeoutExpired as error:
            _kill(process)
            process.communicate()
            raise VideoNotWritten(f"The video was not ready within {self._time_limit:g} s.") from error
        finally:
            with self._lock:
                self._process = None
        if process.returncode != 0:
            last = (errors.strip().splitlines() or [f"status {process.returncode}"])[-1]
            raise VideoNotWritten(f"The videos could not be combined: {last[:300]}")


def _kill(process: subprocess.Popen[str]) -> None:
    """Kill the process and the ffmpegs that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _title(run: RunRow) -> str:
    return f"{run.name} · seed {run.seed}"


def _subtitle(record: EvaluationRecord) -> str:
    words = [] if record.checkpoint_step is None else [f"step {record.checkpoint_step:,}"]
    if record.summary is not None and (spread := record.summary.episode_return) is not None:
        words.append(f"return {spread.mean:,.1f} ± {spread.std:,.1f}")
    return " · ".join(words)


def _ascii(text: str) -> str:
    """Replace characters that the font of the labels does not have."""
    return "".join(character if character.isascii() or character in "·±" else "?" for character in text)
