"""Writes the anatomy of updates to ``anatomy.jsonl``: histograms of weights, gradients, advantages and actions."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.domain.anatomy import Histogram, LayerAnatomy, UpdateAnatomy
from rlviz.learning.algorithms.experience import Array, Rollout, TdErrors, recent_actions
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter

SHARE = 0.005
"""Largest share of training time that this may take."""

SHORTEST_SECONDS = 1.0
"""Shortest time between two inspected updates."""

SPARSER = 0.02
"""The interval grows with this share of the time trained, so that a run of an hour leaves about three hundred lines and
a run of a day not many more."""

BINS = 40
MAX_COMPONENTS = 8
MAX_LAYERS = 24
MAX_VALUES = 20_000
"""Number of weights, evenly spaced, that represent a larger layer."""


@dataclass
class _Before:
    """What must be captured before the update, because it is gone afterwards."""

    step: int
    rollout: Rollout | None
    td_errors: Array | None
    actions: Array | None


class AnatomyJournal:
    """Inspects an update now and then.

    When ``is_due``, call ``before_update`` and then ``after_update``, both in the training thread. ``check_clock`` is
    for any thread. Training is not affected: no generator or weight changes, and it takes at most SHARE of the
    time. While the disk is full, lines wait as in every journal.
    """

    def __init__(
        self,
        folder: RunFolder,
        td_errors: TdErrors | None,
        *,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._td_errors, self._monotonic = td_errors, monotonic
        self._journal = JournalWriter(folder.anatomy_path, clock=clock, monotonic=monotonic)
        self._began = self._due_at = monotonic()
        self._before: _Before | None = None
        self._spent = 0.0
        self.is_due = True

    def check_clock(self) -> None:
        if not self.is_due and self._monotonic() >= self._due_at:
            self.is_due = True
        with suppress(OSError):
            self._journal.flush_if_due()

    def before_update(self, model: BaseAlgorithm) -> None:
        """Capture what ``model`` is about to learn from."""
        begin = self._monotonic()
        rollout = Rollout.from_model(model)
        if rollout is None and not _has_learned(model):
            return  # still filling its replay buffer
        errors = self._td_errors(model) if self._td_errors is not None else None
        self._before = _Before(model.num_timesteps, rollout, errors, recent_actions(model, rollout))
        self._spent = self._monotonic() - begin

    def after_update(self, model: BaseAlgorithm) -> None:
        """Write the anatomy of the update since ``before_update``; without one, do nothing."""
        before, self._before = self._before, None
        if before is None:
            return
        begin = self._monotonic()
        ratios = before.rollout.ratios(model) if before.rollout is not None else None
        layers, not_finite, layer_count = _layers(model)
        update = {
            "step": before.step,
            "advantages": histogram(before.rollout.advantages) if before.rollout is not None else None,
            "ratios": histogram(ratios) if ratios is not None else None,
            "clip_range": _clip_range(model),
            "td_errors": histogram(before.td_errors) if before.td_errors is not None else None,
            "actions": _by_component(before.actions),
            "components": before.actions.shape[1] if before.actions is not None else None,
            "gradient_norm": _norm([layer.gradient_norm for layer in layers]),
            "layers": layers,
            "not_finite": not_finite,
            "layer_count": layer_count,
        }
        self._write(update)
        self._plan(self._spent + self._monotonic() - begin)

    def roll_back(self) -> None:
        """Forget an update that was captured before a rollback."""
        self._before = None

    def close(self) -> None:
        with suppress(OSError):
            self._journal.close()

    def _write(self, update: dict[str, Any]) -> None:
        line = UpdateAnatomy.model_construct(seq=1, time=0.0, **update).model_dump(
            mode="json", exclude_none=True, exclude={"seq", "time"}
        )
        with suppress(OSError):  # too much already waits for a full disk; training continues without this line
            self._journal.append(line)

    def _plan(self, spent: float) -> None:
        now = self._monotonic()
        self._due_at = now + max(SHORTEST_SECONDS, spent / SHARE, SPARSER * (now - self._began))
        self.is_due = False


def _has_learned(model: BaseAlgorithm) -> bool:
    return bool(getattr(model, "_n_updates", 0))


def histogram(numbers: Array) -> Histogram | None:
    """Return a histogram of the finite numbers, or None if there are none. Integers get a bin each, up to BINS."""
    flat = np.asarray(numbers, dtype=np.float64).ravel()
    flat = flat[np.isfinite(flat)]
    if not flat.size:
        return None
    low, high = float(flat.min()), float(flat.max())
    bins = BINS
    if numbers.dtype.kind in "iu" and high - low < BINS:
        low, high, bins = low - 0.5, high + 0.5, int(high - low) + 1
    elif low == high:
        low, high, bins = _around(low), _around(low, up=True), 1
    counts, _ = np.histogram(flat, bins, (low, high))
    return Histogram(low=low, high=high, counts=counts.tolist(), mean=float(flat.mean()), std=float(flat.std()))


def _around(value: float, *, up: bool = False) -> float:
    """Return the lower or upper edge of the bin when all numbers equal ``value``."""
    half = max(abs(value) * 1e-3, 1e-6)
    return value + half if up else value - half


def _by_component(actions: Array | None) -> list[Histogram]:
    if actions is None:
        return []
    found = (histogram(actions[:, component]) for component in range(min(actions.shape[1], MAX_COMPONENTS)))
    return [one for one in found if one is not None]


def _layers(model: BaseAlgorithm) -> tuple[list[LayerAnatomy], list[str], int]:
    """Inspect the weight matrices and filters of trained networks (not of target networks), MAX_LAYERS at most.

    Returns:
        The layers, the names of those without any finite weight, and the number of layers the model has.
    """
    named = [
        (name, parameter)
        for name, parameter in model.policy.named_parameters()
        if parameter.ndim > 1 and "target" not in name
    ]
    found, not_finite = [], []
    for name, parameter in named[:MAX_LAYERS]:
        weights = histogram(_numbers(parameter.detach()))
        if weights is None:
            not_finite.append(name)
            continue
        gradient = parameter.grad
        found.append(
            LayerAnatomy(
                name=name,
                weights=weights,
                gradients=histogram(_numbers(gradient)) if gradient is not None else None,
                gradient_norm=_finite(float(torch.linalg.vector_norm(gradient))) if gradient is not None else None,
            )
        )
    return found, not_finite, len(named)


def _numbers(tensor: torch.Tensor) -> NDArray[np.float32]:
    flat = tensor.flatten()
    stride = -(-flat.numel() // MAX_VALUES)
    return np.asarray(flat[::stride].cpu().numpy())


def _clip_range(model: Any) -> float | None:
    schedule = getattr(model, "clip_range", None)
    return float(schedule(model._current_progress_remaining)) if callable(schedule) else None


def _norm(norms: list[float | None]) -> float | None:
    known = [norm for norm in norms if norm is not None]
    return _finite(float(np.linalg.norm(known))) if known else None


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
