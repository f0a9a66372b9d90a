"""Saves policies: checkpoints, the best and final models, and the filmstrip.

``Checkpoints`` decides when a checkpoint is due. ``Filmstrip`` keeps the weights of many moments of training, so that
the policy of each can be played later.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BufferedRandom, BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlviz.domain.config import CheckpointPlan
from rlviz.domain.errors import RunFolderError, error_message
from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.events import CheckpointData
from rlviz.learning.training.journals import RunJournals
from rlviz.rundir.files import atomic_write, write_atomically
from rlviz.rundir.folder import RunFolder, add_results
from rlviz.rundir.retention import retain_checkpoints

if TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm


def save_policy(model: BaseAlgorithm, path: Path) -> None:
    """Save ``model`` so that plain ``PPO.load(path)`` reads it, with its normalisation and numbering of observations.

    ``path`` is complete or absent at any moment.
    """
    with atomic_write(path) as file:
        _save(model, file)


def save_best(model: BaseAlgorithm, path: Path, best: BestPolicy) -> None:
    """Save ``model`` with its score in the same file, so that the two always belong together, even after a crash."""
    saved = BytesIO()
    _save(model, saved)
    write_atomically(path, add_results(saved.getvalue(), best))


def _save(model: BaseAlgorithm, file: BufferedRandom | BytesIO) -> None:
    from rlviz.learning.algorithms.policy import write_extras  # the scripted worker has no torch

    model.save(file)
    write_extras(model, file)


PICTURE_SECONDS = 1.0
"""How often the algorithm's export, such as a Q-table, is written during training."""


class Checkpoints:
    """Saves ``checkpoints/step_<n>.zip`` every N steps or M seconds, whichever comes first, and on request.

    Between checkpoints it renews the algorithm's export (such as a Q-table), if there is one.
    """

    def __init__(
        self,
        folder: RunFolder,
        plan: CheckpointPlan,
        journals: RunJournals,
        *,
        answered: int = 0,
        export: Callable[[BaseAlgorithm], None] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Plan the first checkpoint.

        A checkpoint is due from ``next_step`` on. ``request`` and ``check_clock`` lower it, so that the training thread
        only compares numbers and never reads a clock.

        Args:
            answered: Number of the last request that an earlier attempt answered.
            export: Writes what users can inspect of a policy, such as its table. It may raise OSError.
        """
        self._folder, self._plan, self._journals, self._monotonic = folder, plan, journals, monotonic
        self._export = export
        self.next_step = self._save_step = plan.every_steps
        now = monotonic()
        self._save_time, self._picture_time = now + plan.every_seconds, now
        self._requested = self._answered = answered

    def request(self, number: int) -> None:
        """Request a checkpoint at the next step. For any thread.

        A number that was answered is ignored; one that arrives while a checkpoint is saved may be answered twice.
        """
        self._requested = max(self._requested, number)
        if self._requested > self._answered:
            self.next_step = self._save_step = 0

    def check_clock(self) -> None:
        """Check by the clock whether something is due. For any thread."""
        now = self._monotonic()
        if now >= self._save_time:
            self.next_step = self._save_step = 0
        elif self._export is not None and now >= self._picture_time:
            self.next_step = 0

    def save_due(self, model: BaseAlgorithm) -> None:
        """Save what is due at this step. For the training thread."""
        if model.num_timesteps >= self._save_step:
            self.save(model)
        else:
            self.next_step = self._save_step
            self.write_export(model)

    def save(self, model: BaseAlgorithm) -> None:
        """Save a checkpoint now and delete all but the newest few. A failure becomes a warning."""
        step = model.num_timesteps
        path = self._folder.checkpoint_path(step)
        self._save_time = self._monotonic() + self._plan.every_seconds
        # Before writing: a request that arrives meanwhile sets them again.
        self.next_step = self._save_step = step + self._plan.every_steps
        answered = self._answered = self._requested
        try:
            self._write(model, path)
            self._export_now(model)
            retain_checkpoints(self._folder, self._plan.keep)
        except Exception as error:  # for instance, a policy that cannot be pickled
            self._journals.warn(step, f"The checkpoint at step {step} could not be saved: {error_message(error)}.")
            return
        within = path.relative_to(self._folder.path).as_posix()
        self._journals.event(step, CheckpointData(path=within, request=answered))

    def write_export(self, model: BaseAlgorithm) -> None:
        """Write the export of the current policy. If the write fails, the next call tries again."""
        with suppress(OSError):
            self._export_now(model)

    def save_final(self, model: BaseAlgorithm) -> None:
        """Write the final model, ``model.zip``. Raises OSError."""
        self._write(model, self._folder.model_path)
        self._export_now(model)

    def state(self) -> dict[str, Any]:
        return {"save_step": self._save_step}

    def restore(self, state: dict[str, Any]) -> None:
        if self.next_step > 0:  # else a checkpoint was requested meanwhile
            self.next_step = self._save_step = state["save_step"]

    def _write(self, model: BaseAlgorithm, path: Path) -> None:
        save_policy(model, path)

    def _export_now(self, model: BaseAlgorithm) -> None:
        if self._export is not None:
            self._picture_time = self._monotonic() + PICTURE_SECONDS
            self._export(model)


NEVER = 2**63

MAX_BYTES = 64_000_000
"""Disk space for the filmstrip of one run. Large networks, such as those for images, are kept at fewer moments."""

FEWEST = 8
"""At least this many policies are kept whatever their size, unless the run asks for fewer."""

MAX_SHARE, ALLOWANCE_SECONDS = 0.005, 0.1
"""Copying policies may take this share of training time, plus the allowance. A moment that would exceed it is skipped.
Writing to disk takes about as long again, outside the training thread."""

_SHORTEST = 1_000
"""The second moment is at 1/1,000 of training, if the policy has changed by then."""


def plan_film_moments(end: int, count: int, *, first_update: int, every: int) -> Sequence[int]:
    """Return the environment steps at which a filmstrip keeps policies, log-spaced because much happens early.

    Args:
        end: Last step of training.
        count: Largest number of moments.
        first_update: No moment but the first (0) is earlier, because the policy has not changed.
        every: Steps between two updates; moments are multiples of it.
    """
    moments, last = [0], end // every * every
    at = _round_up(max(first_update, end // _SHORTEST, 1), every)
    while at <= last and len(moments) < count:
        moments.append(at)
        further = at * (last / at) ** (1 / max(1, count - len(moments)))
        at = max(at + every, min(last, _round_up(round(further), every)))
    return moments


def _round_up(step: int, every: int) -> int:
    return -(-step // every) * every


class Filmstrip:
    """Keeps ``film/step_<n>.zip`` (weights only) at the steps of ``plan_film_moments``, and the last policy.

    The training thread copies a policy into memory from ``next_step`` on; the watcher's thread writes it, because the
    disk is slow. A policy that cannot be written is skipped with a warning. Files of an earlier attempt stay until this
    one has reached their steps.
    """

    def __init__(
        self,
        folder: RunFolder,
        journals: RunJournals,
        *,
        end: int,
        count: int,
        first_update: int = 0,
        every: int = 1,
        monotonic: Callable[[], float] = time.monotonic,
        processor_time: Callable[[], float] = time.thread_time,
    ) -> None:
        """Create a filmstrip of at most ``count`` policies; 0 keeps none.

        The other arguments are those of ``plan_film_moments``.

        Args:
            processor_time: Measures the cost of a copy, without the time that the thread waited for a core.
        """
        self._monotonic, self._processor_time = monotonic, processor_time
        self._began, self._spent = monotonic(), 0.0
        self._folder, self._journals = folder, journals
        self._end, self._count, self._first_update, self._every = end, count, first_update, every
        self._moments: deque[int] = deque()
        self._waiting: deque[tuple[int, bytes]] = deque()
        self._older: deque[int] = deque()
        self._begun = self._taken = -1
        self._warned = False
        self.next_step = NEVER

    def begin(self, model: BaseAlgorithm, *, goes_on: bool = False) -> None:
        """Keep the first policy and plan the moments; the policy's size decides how many fit.

        Args:
            goes_on: Whether training continues from a snapshot; its policy is not kept again.
        """
        if self._count == 0:
            return
        self._began, self._begun = self._monotonic(), model.num_timesteps
        self._moments.clear()
        self._waiting = deque(one for one in self._waiting if one[0] <= model.num_timesteps)
        self._older.clear()
        self._older.extend(step for step, _ in self._folder.film_files())
        size = self._copy(model, keep=not goes_on)
        count = min(self._count, max(FEWEST, MAX_BYTES // size))
        moments = plan_film_moments(self._end, count, first_update=self._first_update, every=self._every)
        self._moments.extend(moment for moment in moments if moment > model.num_timesteps - goes_on)
        self._advance(model.num_timesteps)

    def copy_policy(self, model: BaseAlgorithm) -> None:
        """Copy the current policy, unless copying has taken too much time already. For the training thread."""
        if self._spent <= ALLOWANCE_SECONDS + MAX_SHARE * (self._monotonic() - self._began):
            self._copy(model)
        self._advance(model.num_timesteps)

    def write(self) -> None:
        """Write the copied policies to disk. For any thread."""
        while self._waiting:
            try:
                step, content = self._waiting.popleft()
            except IndexError:  # another thread was faster
                return
            try:
                self._keep(step, content)
            except (OSError, RunFolderError) as error:
                if not self._warned:
                    self._journals.warn(
                        step, f"The policy of step {step} could not be kept for the filmstrip: {error}."
                    )
                self._warned = True
            else:
                self._warned = False

    def finish(self, model: BaseAlgorithm) -> None:
        """Keep the last policy, and write everything that is waiting."""
        if self._count and model.num_timesteps > self._taken:
            self._copy(model)
        self.next_step = NEVER
        self.write()

    def _copy(self, model: BaseAlgorithm, *, keep: bool = True) -> int:
        """Copy the policy and return its size in bytes."""
        begin = self._processor_time()
        content = self._weights(model)
        self._taken = model.num_timesteps
        if keep:
            self._waiting.append((self._taken, content))
        self._spent += self._processor_time() - begin
        return len(content)

    def _weights(self, model: BaseAlgorithm) -> bytes:
        from rlviz.learning.algorithms.policy import save_weights  # the scripted worker has no torch

        file = BytesIO()
        save_weights(model, file)
        return file.getvalue()

    def _advance(self, step: int) -> None:
        """Set the next moment after ``step``.

        A policy is copied one step after its moment, because the update follows the rollout's last step.
        """
        while self._moments and self._moments[0] < step:
            self._moments.popleft()
        self.next_step = self._moments.popleft() + 1 if self._moments else NEVER

    def _keep(self, step: int, content: bytes) -> None:
        self._folder.film.mkdir(exist_ok=True)
        write_atomically(self._folder.film_path(step), content, self._folder.path)
        while self._older and self._older[0] < step:
            if (older := self._older.popleft()) > self._begun:
                self._folder.film_path(older).unlink(missing_ok=True)
