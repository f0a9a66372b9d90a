"""Chooses the recommended algorithm and preset for an environment, by measured results.

A preset *works* if at least ``RELIABLE`` of its seeds held the reward threshold with the kept policy. Without a
threshold it works if its return is not clearly lower than the best one (the intervals overlap). The first preset that
works is recommended; they are ordered by training length. If none works, the best one is: by seeds that held the
threshold, seeds that reached it, and return. A preset that was not measured is recommended only if none was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from rlviz.domain.presets import MeasuredPreset, Preset, PresetId
from rlviz.learning.presets.catalog import measured, presets_for

RELIABLE = 0.8
"""Share of a preset's seeds that must hold the threshold."""


def recommended_preset(
    algorithm: str, env_id: str, options: Mapping[str, JsonValue], threshold: float | None
) -> PresetId:
    """Return the recommended preset of ``algorithm`` for an environment with these options.

    Args:
        algorithm: Id of the algorithm.
        env_id: Id of the environment.
        options: Values of all options of the environment.
        threshold: Reward threshold of the environment with these options, if it has one.
    """
    found = _figures(algorithm, env_id, options)
    working = [preset for preset, figures in found if _works(figures, _measured(found), threshold)]
    if working:
        return working[0].id
    known = [(preset, figures) for preset, figures in found if figures is not None]
    if known:
        return max(known, key=lambda one: (*_merit(one[1]), -list(PresetId).index(one[0].id)))[0].id
    return PresetId.FAST


def recommended_algorithm(
    algorithms: Sequence[str], env_id: str, options: Mapping[str, JsonValue], threshold: float | None
) -> str | None:
    """Return the first of ``algorithms`` whose recommended preset works.

    If none works, return the best measured one; if none was measured, the first; None if there are no algorithms.
    """
    every = {one: _figures(one, env_id, options) for one in algorithms}
    together = [figures for found in every.values() for figures in _measured(found)]
    best: tuple[tuple[float, ...], str] | None = None
    for one, found in every.items():
        chosen = recommended_preset(one, env_id, options, threshold)
        figures = next((figures for preset, figures in found if preset.id is chosen), None)
        if figures is None:
            continue
        if _works(figures, together, threshold):
            return one
        if best is None or _merit(figures) > best[0]:
            best = _merit(figures), one
    return best[1] if best is not None else next(iter(algorithms), None)


def preset_works(
    figures: MeasuredPreset, algorithm: str, env_id: str, options: Mapping[str, JsonValue], threshold: float | None
) -> bool:
    """Return whether a preset with these ``figures`` works, among the presets of ``algorithm`` in this environment.

    Args:
        figures: The measured results of the preset.
        algorithm: Its id.
        env_id: The environment's.
        options: Values of all its options.
        threshold: Its reward threshold with them, if it has one.
    """
    return _works(figures, [figures, *_measured(_figures(algorithm, env_id, options))], threshold)


_Figures = Sequence[tuple[Preset, MeasuredPreset | None]]


def _figures(algorithm: str, env_id: str, options: Mapping[str, JsonValue]) -> _Figures:
    return [(preset, measured(preset, env_id)) for preset in presets_for(algorithm, env_id, options)]


def _measured(found: _Figures) -> list[MeasuredPreset]:
    return [figures for _, figures in found if figures is not None]


def _works(figures: MeasuredPreset | None, among: Sequence[MeasuredPreset], threshold: float | None) -> bool:
    if figures is None:
        return False
    if threshold is not None:
        return figures.held is not None and figures.held >= RELIABLE * figures.seeds
    best = max(among, key=lambda one: one.return_iqm)
    return _end(figures.return_high, figures) >= _end(best.return_low, best)


def _merit(figures: MeasuredPreset) -> tuple[float, ...]:
    return (figures.held or 0) / figures.seeds, figures.solved / figures.seeds, figures.return_iqm


def _end(end: float | None, figures: MeasuredPreset) -> float:
    """Return an end of the interval, or the return itself with one seed, which has no interval."""
    return figures.return_iqm if end is None else end
