"""The anatomy of updates, written to ``anatomy.jsonl`` while a run trains."""

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
"""Largest share of the time of training that may be spent on this."""

SHORTEST_SECONDS = 1.0
"""Shortest time between two updates that are looked at."""

SPARSER = 0.02
"""The longer a run trains, the rarer: so much of the time it has trained lies between two looks, so that a run of
an hour leaves some three hundred lines, and one of a day not many more."""

BINS = 40
MAX_COMPONENTS = 8
MAX_LAYERS = 24
MAX_VALUES = 20_000
"""Of a larger layer, so many weights are looked at, evenly."""


@dataclass
class _Before:
    """What is gone once the update is done."""

    step: int
    rollout: Rollout | None
    td_errors: Array | None
    actions: Array | None


class AnatomyJournal:
    """Looks at an update now and then: ``before_update``, then ``after_update``, both in the training thread, whenever
    ``is_due``. ``tick`` looks at the clock, from any thread.

    Training does not notice: no generator moves, no weight changes; it takes at most SHARE of the time. A disk that is
    full keeps lines waiting, as in every journal.
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

    def tick(self) -> None:
        if not self.is_due and self._monotonic() >= self._due_at:
            self.is_due = True
        with suppress(OSError):
            self._journal.flush_if_due()

    def before_update(self, model: BaseAlgorithm) -> None:
        """Note what ``model`` is about to learn from."""
        begin = self._monotonic()
        rollout = Rollout.of(model)
        if rollout is None and not _has_learned(model):
            return  # still filling its replay buffer
        errors = self._td_errors(model) if self._td_errors is not None else None
        self._before = _Before(model.num_timesteps, rollout, errors, recent_actions(model, rollout))
        self._spent = self._monotonic() - begin

    def after_update(self, model: BaseAlgorithm) -> None:
        """Write the anatomy of the update that followed ``before_update``; without one, do nothing."""
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

    def go_back(self) -> None:
        """Training goes back: an update that was begun is not ended."""
        self._before = None

    def close(self) -> None:
        with suppress(OSError):
            self._journal.close()

    def _write(self, update: dict[str, Any]) -> None:
        line = UpdateAnatomy.model_construct(seq=1, time=0.0, **update).model_dump(
            mode="json", exclude_none=True, exclude={"seq", "time"}
        )
        with suppress(OSError):  # too much waits for a disk that is full: training matters more
            self._journal.append(line)

    def _plan(self, spent: float) -> None:
        now = self._monotonic()
        self._due_at = now + max(SHORTEST_SECONDS, spent / SHARE, SPARSER * (now - self._began))
        self.is_due = False


def _has_learned(model: BaseAlgorithm) -> bool:
    return bool(getattr(model, "_n_updates", 0))


def histogram(numbers: Array) -> Histogram | None:
    """Of all that are finite; None if there are none. Whole numbers get a bin each, as far as there are BINS."""
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
    """An edge of the bin for numbers that are all ``value``."""
    half = max(abs(value) * 1e-3, 1e-6)
    return value + half if up else value - half


def _by_component(actions: Array | None) -> list[Histogram]:
    if actions is None:
        return []
    found = (histogram(actions[:, component]) for component in range(min(actions.shape[1], MAX_COMPONENTS)))
    return [one for one in found if one is not None]


def _layers(model: BaseAlgorithm) -> tuple[list[LayerAnatomy], list[str], int]:
    """Of the weight matrices and filters of every network that is trained (targets only follow them), MAX_LAYERS at
    most; the names of those among them that have no finite weight; and how many there are."""
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
