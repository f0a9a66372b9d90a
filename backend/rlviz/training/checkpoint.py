"""Saving policies: the one home of what a checkpoint holds and when it is due."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from io import BufferedRandom, BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlviz.domain.checkpoint_plan import CheckpointPlan
from rlviz.domain.errors import message_of
from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.events import CheckpointData
from rlviz.rundir.atomic import atomic_write, write_atomically
from rlviz.rundir.best import with_figures
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.retention import retain_checkpoints
from rlviz.training.journals import RunJournals

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
    write_atomically(path, with_figures(saved.getvalue(), best))


def _save(model: BaseAlgorithm, file: BufferedRandom | BytesIO) -> None:
    from rlviz.algorithms.policy import write_extras  # the scripted worker has no torch

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
            self._journals.warn(step, f"The checkpoint at step {step} could not be saved: {message_of(error)}.")
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
