"""Records episodes: steps, what the agent saw, and frames, at a chosen level of detail.

``StepRecorder`` turns steps into rows and pictures, for every player. ``EvaluationRecording`` writes the files of an
evaluation; ``write_collected`` stores several episodes together that were not played for one. ``RecordingLevel``
measures the cost and lowers the detail when it is too high. ``FrameChoice`` and ``KeptFrames`` decide which frames are
kept as pictures.
"""

from __future__ import annotations

import math
import time
import zipfile
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from io import BytesIO
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from PIL import Image

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import VideoNotWritten
from rlviz.domain.evaluation import EpisodeResult, EvaluationRecord, PicturesFacts, StepsFacts, StepsWanted
from rlviz.domain.recording import Actor, Detail, FrameReason, Lowered, RecordingFacts
from rlviz.domain.spaces import MOST_NUMBERS, Space, SpaceLayout
from rlviz.learning.algorithms.feature_memory import Features
from rlviz.learning.algorithms.policy import Policy, TrainedPolicy
from rlviz.learning.algorithms.reading import Reading
from rlviz.learning.environments.custom import find_environment
from rlviz.learning.playing.rollout import MAX_EPISODE_STEPS, Env, Step, batch_of, digest_of, layout_of, numbers_of_each
from rlviz.learning.playing.rollout import element_hash as hash_of
from rlviz.learning.records.about import Components, RecordedEpisode, RecordsAbout
from rlviz.learning.records.writer import Row, StepWriter
from rlviz.provenance import package_versions
from rlviz.rundir.files import atomic_write
from rlviz.rundir.folder import RunFolder, frame_name, strip_name
from rlviz.stats.pictures import PictureLayout, is_picture

MAX_ROWS = 20_000
"""Largest number of records of a chapter, which are held in memory until it is written."""


@dataclass(eq=False)
class EpisodeRows:
    """An episode as rows, including the reset. ``squashed`` is as in a file's metadata."""

    begun: RecordedEpisode
    rows: list[Row] = field(default_factory=list)
    squashed: bool = False

    @property
    def length(self) -> int:
        return self.rows[-1].index


class CollectedEpisodes:
    """Collects the rows of a StepRecorder that are written later."""

    def __init__(self) -> None:
        self.squashed = False
        self._episodes: list[EpisodeRows] = []
        self.count = 0
        """Number of rows held."""

    def begin(self, episode: RecordedEpisode) -> None:
        self._episodes.append(EpisodeRows(episode))

    def add(self, row: Row) -> None:
        self._episodes[-1].rows.append(row)
        self.count += 1

    def __len__(self) -> int:
        return len(self._episodes)

    def take_finished(self) -> list[EpisodeRows]:
        """Return the finished episodes and remove them."""
        episodes, self._episodes, self.count = self._episodes, [], 0
        for episode in episodes:
            episode.squashed = self.squashed
        return [one for one in episodes if one.rows and (one.rows[-1].terminated or one.rows[-1].truncated)]


def write_collected(
    folder: RunFolder, evaluation_id: str, about: RecordsAbout, wanted: StepsWanted, episodes: Sequence[EpisodeRows]
) -> StepsFacts:
    """Write the step records of ``episodes`` at the ``wanted`` detail. Raises OSError or RunFolderError."""
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
    """Return the result of each episode, at its position in the chapter and in a video of the chapter."""
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


SPIKE_DEVIATIONS = 4.0
"""A reward is a spike if it differs from the mean of all earlier ones by this many standard deviations."""

REWARDS_KNOWN = 20
"""Number of rewards needed before one can count as a spike."""


class FrameChoice:
    """Chooses which frames are kept. Ask about every step, in order; every ``every``-th frame is kept in any case."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._count, self._mean, self._squares = 0, 0.0, 0.0
        self._steps = 0

    def reason(self, step: Step, detail: Detail) -> FrameReason | None:
        """Return why the frame of ``step`` is kept at ``detail``, or None if it is not."""
        self._steps += 1
        is_spike = step.number > 0 and self._stands_out(step.reward)
        if not detail.is_at_least(Detail.STANDARD):
            return None
        if step.is_last:
            return FrameReason.END
        if is_spike:
            return FrameReason.SPIKE
        has_its_turn = detail is Detail.FULL and self._steps % self._every == 1 % self._every
        return FrameReason.INTERVAL if has_its_turn else None

    def _stands_out(self, reward: float) -> bool:
        if not math.isfinite(reward):
            return False
        distance = abs(reward - self._mean)
        found = (
            self._count >= REWARDS_KNOWN
            and distance > 1e-9
            and distance > SPIKE_DEVIATIONS * math.sqrt(self._squares / self._count)
        )
        self._count += 1
        change = reward - self._mean
        self._mean += change / self._count
        self._squares += change * (reward - self._mean)
        return found


LONG_ENOUGH_SECONDS = 1.0


class RecordingLevel:
    """Measures the time spent in its blocks, and lowers the detail if it exceeds ``most_cost`` of the remaining time.

    For one thread, except ``spend``.

    Args:
        lowest: The detail is not lowered below this.
        long_enough: Seconds of playing before the cost is judged.
    """

    def __init__(
        self,
        detail: Detail,
        *,
        most_cost: float | None = None,
        lowest: Detail = Detail.MINIMAL,
        long_enough: float = LONG_ENOUGH_SECONDS,
        on_lowered: Callable[[Lowered], None] = lambda _: None,
        monotonic: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.detail = self._asked = detail
        self._most_cost, self._lowest, self._on_lowered = most_cost, lowest, on_lowered
        self._long_enough, self._monotonic = long_enough, monotonic
        self._lowered: Lowered | None = None
        self._entered = 0.0
        self._spent, self._since = 0.0, monotonic()
        self._spent_before = self._elapsed_before = 0.0

    def __enter__(self) -> None:
        self._entered = self._monotonic()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._spent += self._monotonic() - self._entered

    def spend(self, seconds: float) -> None:
        """Count time spent by another thread, because the playing thread may have waited for it."""
        self._spent += seconds

    @property
    def reads(self) -> bool:
        """Whether the policy's reading of each step is recorded."""
        return self.detail.is_at_least(Detail.STANDARD)

    def choose(self, detail: Detail) -> None:
        """Record at ``detail`` from now on."""
        self.detail = self._asked = detail
        self._lowered = None
        self._begin_anew()

    def check(self) -> None:
        """Lower the detail by one level if recording has cost too much since the last change."""
        elapsed = self._monotonic() - self._since
        if self._most_cost is None or elapsed < self._long_enough or not self.detail.is_at_least(self._lowest):
            return
        cost = _cost(self._spent, elapsed)
        if cost is None or cost <= self._most_cost or self.detail is self._lowest:
            return
        before, self.detail = self.detail, self.detail.below
        self._lowered = Lowered(before=before, after=self.detail, cost=round(cost, 4), most=self._most_cost)
        self._begin_anew()
        self._on_lowered(self._lowered)

    def facts(self) -> RecordingFacts:
        elapsed = self._elapsed_before + self._monotonic() - self._since
        cost = _cost(self._spent_before + self._spent, elapsed)
        return RecordingFacts(detail=self._asked, lowered=self._lowered, cost=None if cost is None else round(cost, 4))

    def _begin_anew(self) -> None:
        now = self._monotonic()
        self._spent_before += self._spent
        self._elapsed_before += now - self._since
        self._spent, self._since = 0.0, now


def _cost(spent: float, elapsed: float) -> float | None:
    rest = elapsed - spent
    return spent / rest if rest > 0 else None


_OF_ACTIONS = ("probabilities", "q_values", "quantiles")
_READING_FIELDS = tuple(field.name for field in fields(Reading) if field.name != "squashed")


def rows_of(
    steps: Sequence[Step],
    observation: SpaceLayout,
    action: SpaceLayout,
    *,
    actor: Actor,
    elapsed_ms: Sequence[float],
    frame_hashes: Sequence[bytes | None],
) -> list[Row]:
    """Return the row of each of ``steps``, which ``actor`` took, without its reading."""
    seen = numbers_of_each(observation, [step.observation for step in steps])
    taken = iter(numbers_of_each(action, [step.action for step in steps if step.number > 0]))
    return [
        Row(
            episode=step.episode,
            index=step.number,
            observation=numbers,
            observation_hash=hash_of(observation, step.observation),
            action=None if step.number == 0 else next(taken),
            actor=None if step.number == 0 else actor,
            reward=None if step.number == 0 else step.reward,
            episode_return=step.episode_return,
            terminated=step.terminated,
            truncated=step.truncated,
            elapsed_ms=elapsed,
            frame_hash=frame_hash,
            components=dict(step.components or {}),
            cell=step.cell,
        )
        for step, numbers, elapsed, frame_hash in zip(steps, seen, elapsed_ms, frame_hashes, strict=True)
    ]


def reading_columns(reading: Reading) -> dict[str, Any]:
    """Return the fields of ``reading`` as arrays; ``squashed`` is in the metadata.

    With more than MOST_NUMBERS actions, numbers for each action are left out: a step would be larger than a picture.
    """
    found = {name: np.asarray(value) for name in _READING_FIELDS if (value := getattr(reading, name)) is not None}
    return {name: value for name, value in found.items() if name not in _OF_ACTIONS or value.shape[-1] <= MOST_NUMBERS}


Pixels = NDArray[np.uint8]

JPEG: dict[str, Any] = {"format": "JPEG", "quality": 85, "subsampling": 0}
"""A frame of 600 × 400 takes under a millisecond and 10 kB; WebP would be half as large and take five times as long.
Colours keep full resolution, because most environments draw thin coloured lines."""


def check_picture(picture: object) -> Pixels:
    """Return ``picture`` if it has shape (H, W, 3) and type uint8. Raises VideoNotWritten for anything else."""
    if not isinstance(picture, np.ndarray):
        raise VideoNotWritten(
            f"The environment's render() gave {type(picture).__name__} where an RGB picture was expected; "
            'it must support render_mode "rgb_array".'
        )
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8 or picture.size == 0:
        raise VideoNotWritten(
            f"The environment's picture has shape {picture.shape} and type {picture.dtype}; "
            "(height, width, 3) of uint8 was expected."
        )
    return picture


def fit_picture(picture: Pixels, height: int, width: int) -> Pixels:
    """Return ``picture`` (H, W, 3) in the given size: unchanged if it fits, else scaled, with a black border."""
    if picture.shape[:2] == (height, width):
        return picture
    scale = min(height / picture.shape[0], width / picture.shape[1])
    scaled = max(1, round(picture.shape[0] * scale)), max(1, round(picture.shape[1] * scale))
    top, left = (height - scaled[0]) // 2, (width - scaled[1]) // 2
    fitted = np.zeros((height, width, 3), np.uint8)
    image = Image.fromarray(picture).resize((scaled[1], scaled[0]), Image.Resampling.BILINEAR)
    fitted[top : top + scaled[0], left : left + scaled[1]] = np.asarray(image)
    return fitted


def as_jpeg(frame: Pixels) -> bytes:
    """Encode ``frame`` (height, width, 3) as JPEG."""
    file = BytesIO()
    Image.fromarray(frame).save(file, **JPEG)
    return file.getvalue()


def as_png(pixels: Pixels, *, level: int = 1) -> bytes:
    """Encode ``pixels``, (height, width) or (height, width, 3), as PNG with a compression ``level`` from 1 to 9."""
    file = BytesIO()
    Image.fromarray(pixels).save(file, "PNG", compress_level=level)
    return file.getvalue()


BEFORE_AN_ERROR = 8
"""Frames held in memory, which are kept if the environment fails."""

MAX_WAITING_BYTES = 64 << 20
"""Largest size of frames waiting to be encoded. Further ones are dropped, so that playing never waits."""

_ROOM = {FrameReason.INTERVAL: 0.5, FrameReason.SPIKE: 0.8, FrameReason.END: 0.8, FrameReason.ERROR: 1.0}
"""Share of the size limit up to which frames of each reason are kept, so that important ones always have room."""


@dataclass(eq=False, slots=True)
class _Kept:
    episode: int
    index: int
    reason: FrameReason
    pixels: Pixels


class KeptFrames:
    """Encodes and writes kept frames in a separate thread. If none is kept, there is no file.

    If the block ends with an exception, the last frames before it are kept too.
    """

    def __init__(self, path: Path, folder: Path, *, every: int, max_bytes: int) -> None:
        """Write to ``path`` in the run folder ``folder``."""
        self._path, self._folder, self._max_bytes = path, folder, max_bytes
        self._choice = FrameChoice(every)
        self._last: deque[_Kept] = deque(maxlen=BEFORE_AN_ERROR)
        self._reason: tuple[Step, FrameReason | None] | None = None
        self._queue: SimpleQueue[_Kept | None] = SimpleQueue()
        self._bytes = 0
        self._failure: BaseException | None = None
        self._thread = Thread(target=self._run, name="kept-frames", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def wants(self, step: Step, detail: Detail) -> bool:
        """Return whether the frame of ``step`` must be drawn. Ask once for each step, in order."""
        self._reason = step, self._choice.reason(step, detail)
        return self._reason[1] is not None

    def add_frame(self, step: Step, pixels: Pixels) -> None:
        """Handle a drawn frame, whether it was needed or not. ``pixels`` must not change afterwards."""
        known, reason = self._reason or (None, None)
        kept = _Kept(step.episode, step.number, reason or FrameReason.ERROR, pixels)
        self._last.append(kept)
        if known is step and reason is not None and self._queue.qsize() * pixels.nbytes < MAX_WAITING_BYTES:
            self._queue.put(kept)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            for kept in self._last:
                self._queue.put(replace(kept, reason=FrameReason.ERROR))
        self._queue.put(None)
        self._thread.join()
        if self._failure is not None and error is None:
            raise self._failure

    def _run(self) -> None:
        first = self._queue.get()
        if first is None:
            return
        try:
            with atomic_write(self._path, self._folder) as file, zipfile.ZipFile(file, "w") as archive:
                self._write(archive, first)
        except Exception as failure:
            self._failure = failure
            while self._queue.get() is not None:  # playing continues without records
                pass

    def _write(self, archive: zipfile.ZipFile, first: _Kept) -> None:
        kept: _Kept | None = first
        written: set[tuple[int, int]] = set()
        while kept is not None:
            place = kept.episode, kept.index
            if place not in written and self._bytes < _ROOM[kept.reason] * self._max_bytes:
                content = as_jpeg(kept.pixels)
                archive.writestr(frame_name(*place, kept.reason), content)
                written.add(place)
                self._bytes += len(content)
            kept = self._queue.get()


PICTURES_A_STRIP = 64
STRIP_BYTES = 4_000_000
"""Largest uncompressed size of a strip; of large pictures a strip holds fewer."""

TALLEST = 16_384
"""Largest height of a strip in pixels; some browsers do not decode taller pictures."""


def picture_layout(env: Env) -> PictureLayout | None:
    """Describe how the observations of ``env`` consist of pictures, or return None if they do not."""
    space = env.observation_space
    shape = space.shape or ()
    return PictureLayout.from_shape(shape) if isinstance(space, spaces.Box) and is_picture(shape, space.dtype) else None


class PictureStrips:
    """Stores the newest picture of each observation in a file that is complete or absent.

    At most two strips are in memory; one of them is compressed in a separate thread. After ``max_bytes`` further
    pictures are left out, and the facts say so.
    """

    def __init__(self, path: Path, folder: Path, layout: PictureLayout, *, max_bytes: int) -> None:
        """Write to ``path`` in the run folder ``folder``."""
        self._path, self._folder, self._layout, self._max_bytes = path, folder, layout, max_bytes
        size = layout.height * layout.width * layout.colours
        self._a_strip = max(1, min(PICTURES_A_STRIP, STRIP_BYTES // size, TALLEST // layout.height))
        self._waiting: list[NDArray[np.uint8]] = []
        self._compressing: Future[bytes] | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="picture-strips")
        self._block: AbstractContextManager[Any]
        self._archive: zipfile.ZipFile
        self._strips = self._pictures = self._bytes = 0
        self._cut = False

    def __enter__(self) -> Self:
        self._block = atomic_write(self._path, self._folder)
        self._archive = zipfile.ZipFile(self._block.__enter__(), "w", zipfile.ZIP_STORED)
        return self

    def add(self, observation: NDArray[np.uint8]) -> None:
        """Append the observation's newest picture. Raises OSError, for instance if the disk is full."""
        if self._bytes >= self._max_bytes:
            self._cut = True
            return
        self._waiting.append(np.array(self._layout.split(observation)[-1]))
        if len(self._waiting) == self._a_strip:
            self._flush()

    def leave_out_the_rest(self) -> None:
        """Store no further pictures."""
        self._max_bytes = 0

    def facts(self, file: str) -> PicturesFacts:
        """Return what was written, after the block has ended. ``file`` is the file's name in the facts."""
        return PicturesFacts(
            file=file,
            width=self._layout.width,
            height=self._layout.height,
            pictures=self._pictures,
            pictures_a_strip=self._a_strip,
            seen_together=self._layout.count,
            size_bytes=self._path.stat().st_size,
            cut=self._cut,
        )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._flush()
                self._write()
            self._thread.shutdown()
            self._archive.close()
        except BaseException as failure:
            self._block.__exit__(type(failure), failure, failure.__traceback__)
            raise
        self._block.__exit__(kind, error, trace)

    def _flush(self) -> None:
        if not self._waiting:
            return
        strip = np.concatenate(self._waiting)
        self._pictures += len(self._waiting)
        self._waiting.clear()
        self._write()
        self._compressing = self._thread.submit(as_png, strip[..., 0] if self._layout.colours == 1 else strip, level=6)
        if self._bytes + strip.nbytes >= self._max_bytes:  # it may be the last one
            self._write()

    def _write(self) -> None:
        """Append the compressed strip to the archive."""
        if self._compressing is None:
            return
        content = self._compressing.result()
        self._compressing = None
        self._archive.writestr(strip_name(self._strips), content)
        self._strips += 1
        self._bytes += len(content)


READ_TOGETHER = 256
"""Number of observations that are read in one batch, which takes hardly longer than a single one."""

BYTES_TOGETHER = 1_000_000
"""Largest size of such a batch: images become floating-point numbers, which must fit into a processor's cache."""


class RowSink(Protocol):
    """Receives the rows of episodes: a file, or a list. ``squashed`` is as in a file's metadata."""

    squashed: bool

    def begin(self, episode: RecordedEpisode) -> None: ...

    def add(self, row: Row) -> None: ...


class _Waiting(NamedTuple):
    """A step whose row is not made yet.

    ``features`` are what the policy's networks computed from its observation; ``hashing`` is the hash of its frame.
    """

    step: Step
    elapsed_ms: float
    features: Features
    hashing: Future[bytes] | None


class StepRecorder:
    """Records steps taken by ``actor``: rows with readings, pictures of observations, and frames worth keeping.

    ``level`` decides how much of that is recorded, and measures its cost. Rows go to ``sink``, observations to
    ``pictures``, frames to ``frames``.

    Frames are hashed in another thread. Rows are made many at a time: between two frames the processor's caches are
    full of pixels, and making a single row takes three times as long. The end of the block writes what is pending, so
    the sink's block must enclose it.
    """

    def __init__(
        self,
        sink: RowSink,
        about: RecordsAbout,
        policy: Policy | None,
        *,
        level: RecordingLevel,
        actor: Actor = Actor.POLICY,
        acts: bool = False,
        pictures: PictureStrips | None = None,
        frames: KeptFrames | None = None,
        copies: bool = True,
        monotonic: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Create a recorder.

        Args:
            policy: Reads each step; None to record no readings.
            acts: Whether the policy has just seen the observation, to act, when a step is added that is not the last.
            copies: Whether to copy frames, because the environment may draw the next one into the same array.
        """
        self._sink, self._about, self._policy, self._monotonic = sink, about, policy, monotonic
        self._level, self._actor, self._pictures, self._frames = level, actor, pictures, frames
        self._copies = copies
        self._began = 0.0
        self._is_hashed = False
        self._pool: ThreadPoolExecutor | None = None
        self._hashing: Future[bytes] | None = None
        self._last_hashing: Future[bytes] | None = None
        self._waiting: list[_Waiting] = []
        self._together = READ_TOGETHER
        self._features = policy.features if acts and isinstance(policy, TrainedPolicy) else None
        self._noting = ExitStack()

    def __enter__(self) -> Self:
        if self._features is not None:
            self._noting.enter_context(self._features.record_newest())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._noting.close()
        try:
            if error is None:
                self.flush()
        finally:
            if self._pool is not None:
                self._pool.shutdown(cancel_futures=True)

    def flush(self) -> None:
        """Write pending rows, also within an episode."""
        with self._level:
            self._hand_over(self._waiting)
            self._waiting = []

    def wants_frame(self, step: Step) -> bool:
        """Return whether the frame of ``step`` is needed. Ask once for each step, in order."""
        is_kept = self._frames is not None and self._frames.wants(step, self._level.detail)
        # Kept frames are hashed too, so that a verification draws the same frames: in LunarLander drawing
        # wears off the sparks, which later frames show.
        self._is_hashed = is_kept or self._hashes(step)
        return self._is_hashed

    def add_frame(self, step: Step, picture: object) -> None:
        """Handle the frame of ``step``, which is added next, whether the frame was needed or not."""
        with self._level:
            pixels = check_picture(picture)
            if self._copies and (self._is_hashed or self._frames is not None):
                pixels = pixels.copy()
            if self._frames is not None:
                self._frames.add_frame(step, pixels)
            if self._is_hashed:
                if self._last_hashing is not None:
                    self._last_hashing.result()  # so that frames do not pile up
                self._pool = self._pool or ThreadPoolExecutor(1, thread_name_prefix="frame-hash")
                self._hashing = self._last_hashing = self._pool.submit(digest_of, pixels)

    def add(self, step: Step, env: Env, seed: int) -> None:
        """Record ``step``. ``env`` was reset with ``seed`` for this episode, and is in the state after the step."""
        with self._level:
            now = self._monotonic()
            if step.number == 0:
                self._began = now
                self._sink.begin(RecordedEpisode(seed=seed, generator=generator_state(env)))
                self._together = _together(step.observation)
            if self._pictures is not None:
                self._pictures.add(step.observation)
            is_known = self._features is not None and not step.is_last and self._level.reads
            features = self._features.newest if self._features is not None and is_known else {}
            hashing, self._hashing = self._hashing, None
            step = step._replace(observation=_kept(step.observation), action=_kept(step.action))
            self._take(_Waiting(step, (now - self._began) * 1000, features, hashing))

    def _hashes(self, step: Step) -> bool:
        if step.is_last:
            return self._level.detail is not Detail.OFF
        return step.number % self._about.frames_every == 0 and self._level.detail.is_at_least(Detail.STANDARD)

    def _take(self, newest: _Waiting) -> None:
        if len(self._waiting) > self._together:  # the newest step waits for the next action
            self._hand_over(self._waiting[:-1], self._waiting[-1].step)
            del self._waiting[:-1]
            self._level.check()
            if self._pictures is not None and not self._level.detail.is_at_least(Detail.STANDARD):
                self._pictures.leave_out_the_rest()
        self._waiting.append(newest)

    def _hand_over(self, waiting: Sequence[_Waiting], following: Step | None = None) -> None:
        """Make the rows of ``waiting`` and pass them on. ``following`` is the next step."""
        if not waiting:
            return
        rows = rows_of(
            [one.step for one in waiting],
            self._about.observation.layout,
            self._about.action.layout,
            actor=self._actor,
            elapsed_ms=[one.elapsed_ms for one in waiting],
            frame_hashes=[one.hashing.result() if one.hashing is not None else None for one in waiting],
        )
        if self._policy is not None and self._level.reads:
            self._read(self._policy, waiting, rows, following)
        for row in rows:
            self._sink.add(row)

    def _read(self, policy: Policy, waiting: Sequence[_Waiting], rows: Sequence[Row], following: Step | None) -> None:
        """Add the policy's reading to each of ``rows``."""
        steps = [one.step for one in waiting]
        seen = batch_of([step.observation for step in steps])
        actions = np.asarray(self._actions(policy, steps, seen, following))
        known = [one.features for one in waiting]
        reading = policy.read(seen, actions, known) if isinstance(policy, TrainedPolicy) else policy.read(seen, actions)
        columns = reading_columns(reading)
        self._sink.squashed = reading.squashed
        for place, row in enumerate(rows):
            row.reading = {name: column[place] for name, column in columns.items()}

    @staticmethod
    def _actions(policy: Policy, steps: Sequence[Step], seen: Any, following: Step | None) -> list[Any]:
        """Return the action after each step; after an episode's last, the action that the policy would take."""
        done: list[Any] = [step.action for step in (*steps[1:], following) if step is not None]
        if following is None:
            done.append(None)
        over = [place for place, step in enumerate(steps) if step.is_last or done[place] is None]
        if over:
            starts = np.zeros(len(over), bool)
            chosen, _ = policy.predict(seen[over], None, starts, deterministic=True)
            for place, action in zip(over, chosen, strict=True):
                done[place] = action
        return done


def _together(observation: Any) -> int:
    """Return the number of observations like this one to read in one batch."""
    size = observation.nbytes if isinstance(observation, np.ndarray) else 1
    return max(1, min(READ_TOGETHER, BYTES_TOGETHER // max(1, size)))


def _kept(element: Any) -> Any:
    """Copy an observation or action, because the environment may change its arrays."""
    return element.copy() if isinstance(element, np.ndarray) else deepcopy(element)


def records_about(
    config: RunConfig,
    env: Env,
    *,
    deterministic: bool,
    frames_every: int,
    max_steps: int,
    evaluation_id: str | None = None,
    clip_id: str | None = None,
) -> RecordsAbout:
    """Return the metadata of a step records file, without its episodes."""
    environment = find_environment(config)
    return RecordsAbout(
        run_id=config.run_id,
        evaluation_id=evaluation_id,
        clip_id=clip_id,
        env_id=config.env_id,
        env_options=config.env_options,
        deterministic=deterministic,
        frames_every=frames_every,
        max_steps=max_steps,
        observation=_components(env.observation_space, environment.observation_space),
        action=_components(env.action_space, environment.action_space),
        versions=package_versions(),
    )


def _components(space: gymnasium.Space[Any], said: Space) -> Components:
    return Components(
        layout=layout_of(space), labels=list(said.labels), units=list(said.units), factors=list(said.factors)
    )


def generator_state(env: Env) -> Any:
    """Return the state of the environment's NumPy generator as JSON, or None if it has not created one."""
    generator = getattr(env.unwrapped, "_np_random", None)
    return _as_json(generator.bit_generator.state) if isinstance(generator, np.random.Generator) else None


def _as_json(value: Any) -> Any:
    """Represent 128-bit integers as text, because few JSON parsers support them."""
    if isinstance(value, dict):
        return {name: _as_json(part) for name, part in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return str(value) if isinstance(value, int) and value.bit_length() > 53 else value


class EvaluationRecording:
    """Records an evaluation: pass steps to ``recorder`` within the block.

    Afterwards all files are in place, and ``facts`` describe them. After an exception only earlier frames are kept.
    """

    def __init__(
        self,
        folder: RunFolder,
        record: EvaluationRecord,
        wanted: StepsWanted,
        config: RunConfig,
        env: Env,
        policy: Policy,
        actor: Actor,
    ) -> None:
        files, path = folder.evaluations, folder.path
        about = records_about(
            config,
            env,
            deterministic=record.deterministic,
            frames_every=wanted.frames_every,
            max_steps=MAX_EPISODE_STEPS,
            evaluation_id=record.id,
        )
        self._level = RecordingLevel(wanted.detail, most_cost=wanted.most_cost)
        self._writer = StepWriter(files.steps_path(record.id), path, about, max_bytes=wanted.max_bytes)
        self._pictures_path = files.pictures_path(record.id)
        self._strips: PictureStrips | None = None
        if wanted.pictures and (layout := picture_layout(env)) is not None:
            self._strips = PictureStrips(self._pictures_path, path, layout, max_bytes=wanted.max_bytes)
        self._frames: KeptFrames | None = None
        if wanted.keep_frames_bytes > 0:
            frames_path, every = files.frames_path(record.id), wanted.keep_frames_every
            self._frames = KeptFrames(frames_path, path, every=every, max_bytes=wanted.keep_frames_bytes)
        self.recorder = StepRecorder(
            self._writer,
            about,
            policy,
            level=self._level,
            actor=actor,
            acts=True,
            pictures=self._strips,
            frames=self._frames,
            copies=config.has_own_code,  # built-in environments draw each frame into a new array
        )
        self._folder = folder
        self._block = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as block:
            block.enter_context(self._writer)
            if self._strips is not None:
                block.enter_context(self._strips)
            if self._frames is not None:
                block.enter_context(self._frames)
            block.enter_context(self.recorder)
            self._block = block.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._block.__exit__(kind, error, trace)

    @property
    def steps(self) -> StepsFacts:
        return self._writer.facts()

    @property
    def pictures(self) -> PicturesFacts | None:
        if self._strips is None:
            return None
        return self._strips.facts(self._pictures_path.relative_to(self._folder.path).as_posix())

    @property
    def facts(self) -> RecordingFacts:
        return self._level.facts()
