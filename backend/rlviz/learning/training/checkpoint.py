"""The filmstrip: policies of moments of training, from the first to the last, kept so that each can be played again.

Saving policies: the one home of what a checkpoint holds and when it is due.
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
    """Write what plain ``PPO.load(path)`` reads, with the normalisation of its observations and the numbering of its
    environment, if there are any.

    ``path`` is whole or absent at any moment.
    """
    with atomic_write(path) as file:
        _save(model, file)


def save_best(model: BaseAlgorithm, path: Path, best: BestPolicy) -> None:
    """The same with what is known of it in the same file: a death at any moment leaves a pair that belongs together."""
    saved = BytesIO()
    _save(model, saved)
    write_atomically(path, add_results(saved.getvalue(), best))


def _save(model: BaseAlgorithm, file: BufferedRandom | BytesIO) -> None:
    from rlviz.learning.algorithms.policy import write_extras  # the scripted worker has no torch

    model.save(file)
    write_extras(model, file)


PICTURE_SECONDS = 1.0
"""How often what people want to see of a policy is written while it learns."""


class Checkpoints:
    """Saves ``checkpoints/step_<n>.zip`` every N steps or M seconds, whichever comes first, and on request.

    Between checkpoints it renews what people want to see of the policy, if the algorithm exports anything.
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
        """``answered`` is the last request that an earlier attempt has answered. ``export`` writes what people want to
        see of a policy, such as its table. It raises OSError.

        Something is due from ``next_step`` on, which ``request`` and ``tick`` bring forward: the training thread
        compares numbers, and looks at no clock.
        """
        self._folder, self._plan, self._journals, self._monotonic = folder, plan, journals, monotonic
        self._export = export
        self.next_step = self._save_step = plan.every_steps
        now = monotonic()
        self._save_time, self._picture_time = now + plan.every_seconds, now
        self._requested = self._answered = answered

    def request(self, number: int) -> None:
        """Ask, from any thread, for a checkpoint at the next step. A number that was answered is ignored; one that
        comes in just that moment may be answered twice.
        """
        self._requested = max(self._requested, number)
        if self._requested > self._answered:
            self.next_step = self._save_step = 0

    def tick(self) -> None:
        """Look at the clock, from any thread."""
        now = self._monotonic()
        if now >= self._save_time:
            self.next_step = self._save_step = 0
        elif self._export is not None and now >= self._picture_time:
            self.next_step = 0

    def catch_up(self, model: BaseAlgorithm) -> None:
        """Do what is due at this step, in the training thread."""
        if model.num_timesteps >= self._save_step:
            self.save(model)
        else:
            self.next_step = self._save_step
            self.renew_picture(model)

    def save(self, model: BaseAlgorithm) -> None:
        """Write a checkpoint now and drop all but the newest few. One that cannot be written is warned of."""
        step = model.num_timesteps
        path = self._folder.checkpoint_path(step)
        self._save_time = self._monotonic() + self._plan.every_seconds
        # Before the writing: a request that comes meanwhile sets them again.
        self.next_step = self._save_step = step + self._plan.every_steps
        answered = self._answered = self._requested
        try:
            self._write(model, path)
            self._picture(model)
            retain_checkpoints(self._folder, self._plan.keep)
        except Exception as error:  # a policy that cannot be pickled, for instance
            self._journals.warn(step, f"The checkpoint at step {step} could not be saved: {error_message(error)}.")
            return
        within = path.relative_to(self._folder.path).as_posix()
        self._journals.event(step, CheckpointData(path=within, request=answered))

    def renew_picture(self, model: BaseAlgorithm) -> None:
        """Write what people want to see of the policy as it is now. A disk that refuses is asked again later."""
        with suppress(OSError):
            self._picture(model)

    def save_final(self, model: BaseAlgorithm) -> None:
        """Write the final model, ``model.zip``. Raises OSError."""
        self._write(model, self._folder.model_path)
        self._picture(model)

    def state(self) -> dict[str, Any]:
        return {"save_step": self._save_step}

    def restore(self, state: dict[str, Any]) -> None:
        if self.next_step > 0:  # or one was asked for meanwhile
            self.next_step = self._save_step = state["save_step"]

    def _write(self, model: BaseAlgorithm, path: Path) -> None:
        save_policy(model, path)

    def _picture(self, model: BaseAlgorithm) -> None:
        if self._export is not None:
            self._picture_time = self._monotonic() + PICTURE_SECONDS
            self._export(model)


NEVER = 2**63

MAX_BYTES = 64_000_000
"""The kept policies of one run may take so much together. Large networks, above all those that see pictures, are kept
at fewer moments."""

FEWEST = 8
"""At least so many policies are kept, however large they are, unless fewer are wanted."""

MAX_SHARE, ALLOWANCE_SECONDS = 0.005, 0.1
"""Copying policies may take this share of training time, plus the allowance. A moment that would exceed it is passed
over. Writing them to disk takes about as long again, outside of the training thread."""

_SHORTEST = 1_000
"""The second moment comes after 1/1,000 of training, if the policy has changed by then."""


def film_moments(end: int, count: int, *, first_update: int, every: int) -> Sequence[int]:
    """Environment steps of at most ``count`` policies on the way to step ``end``, log-spaced: much happens early.

    The first is 0. The others are ``every`` steps apart, or a multiple of that, and none comes before
    ``first_update``: in between, the policy does not change.
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
    """Keeps ``film/step_<n>.zip``, weights alone, at the moments of ``film_moments``, and the last policy.

    The training thread takes a policy into memory from ``next_step`` on; the watcher writes it, since waiting for the
    disk takes longer than everything else. A policy that cannot be written is warned of and left out. What an earlier
    attempt kept stays until this one has come as far.
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
        """``count`` is how many policies are kept at most; 0 keeps none. The other arguments are those of
        ``film_moments``. ``processor_time``: what a copy costs; that the thread waited for a core is no cost of it."""
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
        """Keep the policy that training begins with, and plan the moments: its size decides how many fit. Where
        training goes on from a snapshot (``goes_on``), this policy is not kept again."""
        if self._count == 0:
            return
        self._began, self._begun = self._monotonic(), model.num_timesteps
        self._moments.clear()
        self._waiting = deque(one for one in self._waiting if one[0] <= model.num_timesteps)
        self._older.clear()
        self._older.extend(step for step, _ in self._folder.film_files())
        size = self._take(model, keep=not goes_on)
        count = min(self._count, max(FEWEST, MAX_BYTES // size))
        moments = film_moments(self._end, count, first_update=self._first_update, every=self._every)
        self._moments.extend(moment for moment in moments if moment > model.num_timesteps - goes_on)
        self._advance(model.num_timesteps)

    def take(self, model: BaseAlgorithm) -> None:
        """For the training thread: copy the present policy, unless copying has taken too much time already."""
        if self._spent <= ALLOWANCE_SECONDS + MAX_SHARE * (self._monotonic() - self._began):
            self._take(model)
        self._advance(model.num_timesteps)

    def write(self) -> None:
        """Write the copied policies to disk. May be called in any thread."""
        while self._waiting:
            try:
                step, content = self._waiting.popleft()
            except IndexError:  # the other thread was first
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
        """Keep the last policy, and write everything that waits."""
        if self._count and model.num_timesteps > self._taken:
            self._take(model)
        self.next_step = NEVER
        self.write()

    def _take(self, model: BaseAlgorithm, *, keep: bool = True) -> int:
        """Copy the policy; return its size in bytes."""
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
        """Find the next moment after ``step``. A policy is taken one step after its moment, because the update at the
        end of a rollout changes it after the rollout's last step."""
        while self._moments and self._moments[0] < step:
            self._moments.popleft()
        self.next_step = self._moments.popleft() + 1 if self._moments else NEVER

    def _keep(self, step: int, content: bytes) -> None:
        self._folder.film.mkdir(exist_ok=True)
        write_atomically(self._folder.film_path(step), content, self._folder.path)
        while self._older and self._older[0] < step:
            if (older := self._older.popleft()) > self._begun:
                self._folder.film_path(older).unlink(missing_ok=True)
