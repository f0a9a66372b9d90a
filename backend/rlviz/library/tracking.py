"""``rlviz.track``: a program of the user's own writes a run that the app shows live."""

from __future__ import annotations

import atexit
import os
import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Lock, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rlviz.domain.event_lines import event_line
from rlviz.domain.events import Ending, ErrorData, FinishedData, StartedData, StoppedData
from rlviz.domain.records import EPISODE_INDEX, EPISODE_LENGTH, EPISODE_REWARD, MAX_STEP
from rlviz.launchers.process_identity import ProcessIdentity
from rlviz.library.logged import as_number, checked_name, checked_step
from rlviz.provenance import package_versions
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.foreign import HEARTBEAT_SECONDS, beat, create_foreign, foreign_config
from rlviz.rundir.journal import JournalWriter
from rlviz.rundir.lock import training_lock
from rlviz.training.journals import RunJournals

if TYPE_CHECKING:
    from rlviz.library.videos import TrackedVideos

TICK_SECONDS = 0.1
MAX_TRACEBACK = 20_000


def track(
    algo: str = "custom",
    env_id: str = "unknown",
    *,
    name: str | None = None,
    seed: int = 0,
    total_timesteps: int | None = None,
    config: Mapping[str, object] | None = None,
    runs_dir: str | os.PathLike[str] | None = None,
) -> TrackedRun:
    """Begin a run that this program writes; the app shows it live, whether it runs already or is started later.

    ``algo`` and ``env_id`` may be any names. ``config`` holds the hyperparameters, whatever they are called.
    ``total_timesteps``: how long it will be, if that is known. ``runs_dir``: the runs folder; without it the one that
    ``rlviz`` uses (RLVIZ_RUNS_DIR, a settings file, or ``runs``).

    Use it in a ``with`` block, or call ``finish``. Raises InvalidRequest for names and numbers that no run can have,
    and OSError if the folder cannot be written.
    """
    return TrackedRun(
        runs_folder(runs_dir),
        algo=algo,
        env_id=env_id,
        name=name,
        seed=seed,
        total_timesteps=total_timesteps,
        config=config,
    )


def runs_folder(runs_dir: str | os.PathLike[str] | None) -> Path:
    """The runs folder that is asked for, else that of the settings."""
    if runs_dir is not None:
        return Path(runs_dir).expanduser().resolve()
    from rlviz.settings import read_settings

    return read_settings().runs_dir.resolve()


class TrackedRun:
    """A run that this process writes. May be used from several threads, and from this process alone.

    A disk that is full, or a folder that is gone, does not end the program: rows wait, up to a bound, and are lost
    beyond it. What is called wrongly raises at once.
    """

    def __init__(
        self,
        runs_dir: Path,
        *,
        algo: str,
        env_id: str,
        name: str | None,
        seed: int,
        total_timesteps: int | None,
        config: Mapping[str, object] | None,
    ) -> None:
        described = foreign_config(
            algo=algo,
            env_id=env_id,
            name=name,
            now=datetime.now(UTC),
            seed=seed,
            total_timesteps=total_timesteps,
            settings=config,
            versions=package_versions(),
        )
        self._folder = create_foreign(runs_dir, described, _begin)
        self._pid, self._seed = os.getpid(), described.seed
        self._videos: TrackedVideos | None = None
        self._step = self._episodes = 0
        self._warned_of_steps = self._warned_of_disk = False
        self._lock, self._closing, self._closed = Lock(), Event(), False
        with ExitStack() as held:
            held.enter_context(training_lock(self._folder))
            self._journals = RunJournals(self._folder)
            self._held = held.pop_all()
        self._thread = Thread(target=self._keep_alive, name=f"rlviz {self.id}", daemon=True)
        self._thread.start()
        atexit.register(self._at_exit)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._let_go)

    def __repr__(self) -> str:
        return f"TrackedRun({self.id!r})"

    @property
    def id(self) -> str:
        """The run's id, by which the app and ``rlviz`` know it."""
        return self._folder.run_id

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self._folder.path

    @property
    def is_finished(self) -> bool:
        return self._closed

    def log(self, step: int, values: Mapping[str, float] | None = None, /, **metrics: float) -> None:
        """Record numbers at ``step``: ``log(128, loss=0.3)`` or ``log(128, {"train/loss": 0.3})``.

        Names as Stable-Baselines3 logs them (``rollout/ep_rew_mean``, ``train/loss``) get the app's own descriptions
        and units. NaN and infinity become a gap, and a warning of the run. A step before the one logged last is left
        out, with a warning. Raises TypeError for what is no number, and ValueError for a step that is none.
        """
        if type(step) is not int or not 0 <= step <= MAX_STEP:
            step = checked_step(step)
        row = metrics if values is None else {**values, **metrics}
        for name, value in row.items():
            if (type(value) is not float and type(value) is not int) or type(name) is not str:
                row = {checked_name(one): as_number(one, row[one]) for one in row}
                break
        with self._lock:
            if self._closed or self._pid != os.getpid():
                self._refuse()
            if step < self._step:
                self._leave_out(step)
                return
            self._step = step
            try:
                self._journals.metrics_soon(step, row)
            except OSError as error:
                self._say_once(error)

    def episode(self, step: int, episode_return: float, length: int) -> None:
        """Record a finished episode; from these come the mean return over 100 episodes, and when the run is solved."""
        with self._lock:
            self._episodes += 1
            index = self._episodes
        self.log(step, {EPISODE_REWARD: episode_return, EPISODE_LENGTH: length, EPISODE_INDEX: index})

    def video(
        self,
        source: str | os.PathLike[str] | Iterable[object],
        *,
        step: int | None = None,
        episodes: Sequence[tuple[float, int]] = (),
        fps: float = 30.0,
    ) -> Path | None:
        """Hand over a video, which the page of the run plays; return where it is kept.

        ``source``: the path of a video, of which a copy is made as browsers play it, or frames of shape
        (height, width, 3) in bytes, shown at ``fps`` a second. ``step``: how long the policy in it was trained; None is
        the step that was logged last. ``episodes``: return and length of each episode in it, if the page shall say
        them. The newest RLVIZ_KEEP_EVAL_VIDEOS stay. Raises FileNotFoundError and ValueError for what is no video. One
        that cannot be written, on a full disk for instance, becomes a warning of the run, and None is returned.
        """
        from rlviz.domain.errors import VideoNotWritten

        at = self._step if step is None else checked_step(step)
        with self._lock:
            if self._closed or self._pid != os.getpid():
                self._refuse()
            if self._videos is None:
                self._videos = self._new_videos()
        try:
            return self._videos.add(source, step=at, episodes=episodes, fps=fps)
        except (VideoNotWritten, OSError) as error:
            if isinstance(error, FileNotFoundError) and self._folder.is_there():
                raise
            with self._lock:
                if not self._closed:
                    self._journals.warn(self._step, f"A video could not be kept: {error}")
            return None

    def finish(self, error: BaseException | None = None) -> None:
        """End the run: ``completed``, or ``failed`` because of ``error`` (``stopped`` for Ctrl-C). Twice is once."""
        self._end(_ending_of(error))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish(error)

    def _new_videos(self) -> TrackedVideos:
        from rlviz.library.videos import TrackedVideos
        from rlviz.settings import read_settings

        return TrackedVideos(self._folder, seed=self._seed, keep=read_settings().keep_eval_videos)

    def _end(self, ending: Ending) -> None:
        with self._lock:
            if self._closed or self._pid != os.getpid():
                return
            self._closed = True
        self._closing.set()
        self._thread.join()
        atexit.unregister(self._at_exit)
        with self._held:
            try:
                self._journals.event(self._step, ending)
                self._journals.close()
            except OSError as error:  # the app finds that this program is gone
                self._say_once(error)

    def _at_exit(self) -> None:
        """The program ends without ``finish``. Whether by an error, the interpreter knows; not within a notebook."""
        error = getattr(sys, "last_value", None) if not hasattr(sys, "ps1") else None
        self._end(_ending_of(error))

    def _let_go(self) -> None:
        """This is a fork of the program: the lock is not its to hold, once the program itself is gone."""
        if not self._closed:
            self._closed = True
            self._lock = Lock()
            with suppress(OSError):
                self._held.close()

    def _keep_alive(self) -> None:
        beats = 0
        while not self._closing.wait(TICK_SECONDS):
            beats += 1
            if beats * TICK_SECONDS >= HEARTBEAT_SECONDS:
                beats = 0
                beat(self._folder)
            try:
                self._journals.flush_if_due()
                self._journals.sync_if_due()
            except OSError as error:
                self._say_once(error)

    def _refuse(self) -> None:
        if self._pid != os.getpid():
            raise RuntimeError(
                f"Run {self.id} is written by process {self._pid}. Log from that process, or begin a run of your own "
                "with rlviz.track()."
            )
        raise RuntimeError(f"Run {self.id} is finished. Begin another with rlviz.track().")

    def _leave_out(self, step: int) -> None:
        if not self._warned_of_steps:
            self._warned_of_steps = True
            self._journals.warn(
                self._step, f"Step {step:,} was logged after step {self._step:,}; steps that go back are left out."
            )

    def _say_once(self, error: OSError) -> None:
        if not self._warned_of_disk:
            self._warned_of_disk = True
            print(f"rlviz: run {self.id} cannot be written now: {error}. Training goes on.", file=sys.stderr)


def _begin(folder: RunFolder) -> None:
    journal = JournalWriter(folder.events_path)
    try:
        journal.append(event_line(0, StartedData(attempt=1, worker=str(ProcessIdentity.current()))))
    finally:
        journal.close()
    beat(folder)


def _ending_of(error: BaseException | None) -> Ending:
    if error is None or (isinstance(error, SystemExit) and not error.code):
        return FinishedData(attempt=1)
    if isinstance(error, KeyboardInterrupt):
        return StoppedData(attempt=1)
    lines = "".join(traceback.format_exception(error))
    return ErrorData(
        attempt=1, type=type(error).__name__, message=str(error)[:MAX_TRACEBACK], traceback=lines[-MAX_TRACEBACK:]
    )
