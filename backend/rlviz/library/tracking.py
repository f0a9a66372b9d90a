"""``rlviz.track``: write a run from your own program, which the app shows live."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import traceback
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Lock, Thread, current_thread
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rlviz.domain.errors import error_message, summarize_error
from rlviz.domain.events import Ending, ErrorData, FinishedData, StartedData, StoppedData, event_line
from rlviz.domain.limits import to_number
from rlviz.domain.metrics import EPISODE_INDEX, EPISODE_LENGTH, EPISODE_REWARD, MAX_STEP
from rlviz.domain.reward_components import component_metrics
from rlviz.learning.training.guard import Guard
from rlviz.learning.training.journals import RunJournals
from rlviz.library.described import UNKNOWN_ENV, UNNAMED_ALGO, describe_run
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.foreign import HEARTBEAT_SECONDS, create_foreign, touch_heartbeat
from rlviz.rundir.journal import JournalWriter
from rlviz.rundir.lock import training_lock
from rlviz.rundir.process_identity import ProcessIdentity

if TYPE_CHECKING:
    from rlviz.library.videos import TrackedVideos

TICK_SECONDS = 0.1
MAX_TRACEBACK = 20_000
MAX_WARNINGS = 100
"""Maximum number of kinds of warnings in one run."""

_CALLED_OFF = ("TrialPruned", "CancelledError")
"""Exceptions with which Optuna and asyncio end training on purpose."""


def track(
    algo: str = UNNAMED_ALGO,
    env_id: str = UNKNOWN_ENV,
    *,
    name: str | None = None,
    seed: int | None = 0,
    total_timesteps: float | None = None,
    config: Mapping[str, object] | None = None,
    runs_dir: str | os.PathLike[str] | None = None,
) -> TrackedRun:
    """Start a run that this program writes. The app shows it live, now or when you start it later.

    ``algo`` and ``env_id`` can be any names. ``config`` has the hyperparameters, under any names. ``total_timesteps``:
    the planned length, if known. ``runs_dir``: the runs folder; by default the one that ``rlviz`` uses (RLVIZ_RUNS_DIR,
    a settings file, or ``runs``).

    Use it in a ``with`` block, or call ``finish``. It does not raise: values that cannot be recorded become warnings of
    the run. If no run can be written, standard error says why, and the program continues without it.
    """
    return TrackedRun(
        runs_dir, algo=algo, env_id=env_id, name=name, seed=seed, total_timesteps=total_timesteps, config=config
    )


def runs_folder(runs_dir: str | os.PathLike[str] | None) -> Path:
    """Return the given runs folder, or that of the settings."""
    if runs_dir is not None:
        return Path(runs_dir).expanduser().resolve()
    from rlviz.settings import read_settings

    return read_settings().runs_dir.resolve()


class TrackedRun:
    """A run that this process writes. Thread-safe, but only usable in this process.

    Only ``add_video`` raises, so that recording never ends your program. Values that cannot be recorded are skipped,
    with one warning for each kind of mistake. While the disk is full or the folder is missing, a limited number of rows
    is buffered.
    """

    def __init__(
        self,
        runs_dir: str | os.PathLike[str] | None,
        *,
        algo: object,
        env_id: object,
        name: object,
        seed: object,
        total_timesteps: object,
        config: object,
    ) -> None:
        described, warnings = describe_run(
            algo=algo,
            env_id=env_id,
            name=name,
            now=datetime.now(UTC),
            seed=seed,
            total_timesteps=total_timesteps,
            settings=config,
        )
        self._id, self._seed, self._pid = described.run_id, described.seed, os.getpid()
        self._folder: RunFolder | None = None
        self._journals: RunJournals | None = None
        self._videos: TrackedVideos | None = None
        self._step = self._episodes = 0
        self._told: set[str] = set()
        self.guard = Guard(self.warn, log=lambda _error: None)
        """Turns errors into one warning of the run."""
        self._lock, self._closing, self._closed = Lock(), Event(), False
        self._held = ExitStack()
        self._thread = Thread(target=self._keep_alive, name=f"rlviz {self._id}", daemon=True)
        self.on_tick: Callable[..., None] | None = None
        """Called several times per second with ``wait=False``, and without it for ``is_finished``."""
        self.on_exit: Callable[[], None] | None = None
        """Called when the program ends before the run."""
        try:
            self._open(create_foreign(runs_folder(runs_dir), described, _begin))
        except Exception as error:
            print_to_stderr(f"this run is not recorded: {summarize_error(error)}. The program continues without it.")
            return
        for warning in warnings:
            self.warn(warning)

    def __repr__(self) -> str:
        return f"TrackedRun({self.id!r})"

    @property
    def id(self) -> str:
        """The run's id."""
        return self._id

    @property
    def path(self) -> Path:
        """The run's folder, which does not exist if no run could be written."""
        return self._folder.path if self._folder is not None else Path(tempfile.gettempdir(), self._id)

    @property
    def is_finished(self) -> bool:
        if not self._closed and (on_tick := self.on_tick) is not None:
            on_tick()
        return self._closed

    @property
    def is_closed(self) -> bool:
        """Whether the run is closed: like ``is_finished``, but without checking whether training has ended."""
        return self._closed

    def log(self, step: int, values: Mapping[str, float] | None = None, /, **metrics: float) -> None:
        """Record numbers at ``step``: ``log(128, loss=0.3)`` or ``log(128, {"train/loss": 0.3})``.

        Names of Stable-Baselines3 (``rollout/ep_rew_mean``, ``train/loss``) get the app's descriptions and units. NaN
        and infinity become gaps, with a warning of the run. Values that are not numbers, names that are not strings,
        and steps that are not integers or go back are skipped, with a warning.
        """
        try:
            self._log(step, metrics if values is None else {**values, **metrics})
        except Exception as error:
            self.guard.report("Logging", error)

    def episode(
        self, step: int, episode_return: float, length: int, *, components: Mapping[str, float] | None = None
    ) -> None:
        """Record a finished episode. The mean return over 100 episodes, and when the run is solved, follow from
        these.

        ``components`` are the parts of the return by name, such as ``{"goal": 100.0, "fuel": -12.5}``.
        """
        with self._lock:
            self._episodes += 1
            index = self._episodes
        values = {EPISODE_REWARD: episode_return, EPISODE_LENGTH: length, EPISODE_INDEX: index}
        parts: dict[str, float] = {}
        with self.guard("Logging"):
            parts = component_metrics(dict(components or {}), episode_return)
        self.log(step, {**values, **parts})

    def video(
        self,
        source: str | os.PathLike[str] | Iterable[object],
        *,
        step: int | None = None,
        episodes: Sequence[tuple[float, int]] = (),
        fps: float = 30.0,
    ) -> Path | None:
        """Add a video, which the run's page plays; return its path.

        ``source``: the path of a video, which is copied in a format for browsers, or frames of shape (height, width, 3)
        in uint8, shown at ``fps`` per second. ``step``: training step of the policy; None for the step logged last.
        ``episodes``: return and length of each episode, which the page shows. The newest RLVIZ_KEEP_EVAL_VIDEOS are
        kept. An invalid video, or one that cannot be written, becomes a warning of the run, and None is returned.
        """
        try:
            return self.add_video(source, step=step, episodes=episodes, fps=fps)
        except Exception as error:
            self._warn_once("video " + type(error).__name__, f"A video could not be added: {error_message(error)}")
            return None

    def add_video(
        self,
        source: str | os.PathLike[str] | Iterable[object],
        *,
        step: int | None = None,
        episodes: Sequence[tuple[float, int]] = (),
        fps: float = 30.0,
    ) -> Path | None:
        """Add a video like ``video``, but raise ValueError, VideoNotWritten or OSError if that fails."""
        at = self._step if step is None else _step_of(step)
        if at is None:
            raise ValueError(_no_step(step))
        with self._lock:
            if not self._may_write() or self._folder is None:
                return None
            if self._videos is None:
                self._videos = _videos_of(self._folder, self._seed)
            videos = self._videos
        return videos.add(source, step=at, episodes=episodes, fps=fps)

    def warn(self, message: str) -> None:
        """Add a warning to the run."""
        if self._journals is not None and not self._closed:
            self._journals.warn(self._step, message)

    def finish(self, error: BaseException | None = None, *, ended_early: str | None = None) -> None:
        """End the run as ``completed``, or as ``failed`` because of ``error`` (``stopped`` for Ctrl-C). Idempotent.

        ``ended_early``: why a completed run did not reach its ``total_timesteps``.
        """
        self.end(_ending_of(error, ended_early))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish(error)

    def end(self, ending: Ending) -> None:
        """End the run with the event ``ending``, unless it has ended."""
        with self._lock:
            if self._closed or self._pid != os.getpid():
                return
            self._closed = True
        self.on_tick = self.on_exit = None
        self._closing.set()
        try:
            if self._thread.is_alive() and self._thread is not current_thread():
                self._thread.join()
        finally:  # after a second Ctrl-C too
            atexit.unregister(self._at_exit)
            with suppress(Exception), self._held:
                self._write_ending(ending)

    def _open(self, folder: RunFolder) -> None:
        """Lock the new run and open its journals. Raises an error if that is impossible; then there is no run."""
        try:
            with ExitStack() as held:
                held.enter_context(training_lock(folder))
                self._journals = RunJournals(folder)
                self._thread.start()
                self._held = held.pop_all()
        except BaseException:
            self._journals = None
            shutil.rmtree(folder.path, ignore_errors=True)
            raise
        self._folder = folder
        atexit.register(self._at_exit)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_calling(weakref.WeakMethod(self._release_in_fork)))

    def _log(self, step: object, row: Mapping[str, object]) -> None:
        if type(step) is not int or not 0 <= step <= MAX_STEP:
            if (at := _step_of(step)) is None:
                self._warn_once("step", f"A row was skipped: {_no_step(step)}")
                return
        else:
            at = step
        values: Mapping[str, float] = row  # type: ignore[assignment]
        for name, value in row.items():
            is_number = type(value) is float or (type(value) is int and -MAX_STEP <= value <= MAX_STEP)
            if not is_number or type(name) is not str or not name or not name.isascii():
                values = self._recordable(row)
                break
        with self._lock:
            if not self._may_write() or self._journals is None:
                return
            if at >= self._step:
                self._step = at
                try:
                    self._journals.metrics_soon(at, values)
                except OSError as error:
                    self._tell_of_disk(error)
                return
            back = f"Step {at:,} was logged after step {self._step:,}; steps that go back are skipped."
        self._warn_once("back", back, is_told=False)

    def _recordable(self, row: Mapping[str, object]) -> dict[str, float]:
        """Return the values of ``row`` that can be recorded; warn of the others."""
        found: dict[str, float] = {}
        for name, value in row.items():
            if not isinstance(name, str) or not name:
                self._warn_once(
                    "name", f"{name!r:.80} is not the name of a metric: it must be a string. It is skipped."
                )
            elif (number := to_number(value)) is None:
                said = f"{name[:80]} is a {type(value).__name__}: only numbers are recorded. It is skipped."
                self._warn_once("value " + name[:80], said)
            else:
                found[str(name)] = number
        return found

    def _may_write(self) -> bool:
        """Return whether this process may write the run; if not, say why on standard error, once."""
        if self._pid != os.getpid():
            self._tell_once(
                f"run {self.id} is written by process {self._pid}; rows of this process are skipped. Start its own "
                "run with rlviz.track()."
            )
            return False
        if self._closed:
            self._tell_once(f"run {self.id} is finished; later rows are skipped.")
        return not self._closed

    def _write_ending(self, ending: Ending) -> None:
        if self._journals is None:
            return
        try:
            self._journals.event(self._step, ending)
            self._journals.close()
        except OSError as error:  # the app notices that this program has exited
            self._tell_of_disk(error)

    def _at_exit(self) -> None:
        """End the run when the program ends without ``finish``. The interpreter knows of an error, except in a
        notebook."""
        if self.on_exit is not None:
            self.on_exit()
        error = getattr(sys, "last_value", None) if not hasattr(sys, "ps1") else None
        self.finish(error)

    def _release_in_fork(self) -> None:
        """Release the lock in a fork of the program, so that it does not outlive the program."""
        if not self._closed:
            self._closed = True
            self.on_tick = self.on_exit = None
            self._lock = Lock()
            with suppress(Exception):
                self._held.close()

    def _keep_alive(self) -> None:
        beats = 0
        while not self._closing.wait(TICK_SECONDS):
            beats += 1
            with self.guard("Keeping the run alive"):
                if beats * TICK_SECONDS >= HEARTBEAT_SECONDS and self._folder is not None:
                    beats = 0
                    touch_heartbeat(self._folder)
            with self.guard("Writing what was logged"):
                self._flush()
            if (on_tick := self.on_tick) is not None:
                with self.guard("Detecting how training ends"):
                    on_tick(wait=False)

    def _flush(self) -> None:
        if self._journals is not None:
            try:
                self._journals.flush_if_due()
                self._journals.sync_if_due()
            except OSError as error:
                self._tell_of_disk(error)

    def _warn_once(self, kind: str, message: str, *, is_told: bool = True) -> None:
        """Add a warning to the run, and print it on standard error if ``is_told``: once for each ``kind``."""
        if kind in self._told or len(self._told) >= MAX_WARNINGS:
            return
        self._told.add(kind)
        self.warn(message)
        if is_told:
            print_to_stderr(f"run {self.id}: {message}")

    def _tell_of_disk(self, error: OSError) -> None:
        if "disk" not in self._told:
            self._told.add("disk")
            print_to_stderr(f"run {self.id} cannot be written now: {summarize_error(error)}. Training continues.")

    def _tell_once(self, message: str) -> None:
        if message not in self._told:
            self._told.add(message)
            print_to_stderr(message)


def print_to_stderr(message: str) -> None:
    """Print a message on standard error, which may be closed or unable to encode it."""
    with suppress(Exception):
        encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
        print("rlviz:", message.encode(encoding, "replace").decode(encoding), file=sys.stderr)


def _begin(folder: RunFolder) -> None:
    journal = JournalWriter(folder.events_path)
    try:
        journal.append(event_line(0, StartedData(attempt=1, worker=str(ProcessIdentity.current()))))
    finally:
        journal.close()
    touch_heartbeat(folder)


def _calling(method: weakref.WeakMethod[Callable[[], None]]) -> Callable[[], None]:
    """Return a function that calls ``method``, or does nothing if its object no longer exists."""

    def call() -> None:
        if (found := method()) is not None:
            found()

    return call


def _videos_of(folder: RunFolder, seed: int) -> TrackedVideos:
    from rlviz.library.videos import TrackedVideos
    from rlviz.settings import read_settings

    return TrackedVideos(folder, seed=seed, keep=read_settings().keep_eval_videos)


def _step_of(step: object) -> int | None:
    """Return a step as an integer, also from NumPy; None if it is not a valid step."""
    number = None if isinstance(step, bool) else to_number(step)
    if number is None or not 0 <= number <= MAX_STEP or number != int(number):
        return None
    return int(number)


def _no_step(step: object) -> str:
    return f"the step {step!r:.80} is not a whole number of environment steps, 0 or more."


def _ending_of(error: BaseException | None, ended_early: str | None = None) -> Ending:
    if error is None or (isinstance(error, SystemExit) and not error.code):
        return FinishedData(attempt=1, ended_early=ended_early)
    names = {kind.__name__ for kind in type(error).__mro__}
    if isinstance(error, KeyboardInterrupt | GeneratorExit) or not names.isdisjoint(_CALLED_OFF):
        return StoppedData(attempt=1)
    lines = ""
    with suppress(Exception):  # an exception that cannot be printed
        lines = "".join(traceback.format_exception(error))
    return ErrorData(
        attempt=1,
        type=type(error).__name__,
        message=error_message(error)[:MAX_TRACEBACK],
        traceback=lines[-MAX_TRACEBACK:],
    )
