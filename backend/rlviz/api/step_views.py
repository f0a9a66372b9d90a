"""Converts the metadata of a step records file into API schemas."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from rlviz.api.registry_views import view_factors
from rlviz.api.schemas.steps import StepComponents, StepsInfo
from rlviz.environments.custom import family_of_id
from rlviz.records.about import Components, RecordsAbout


def view_steps_info(about: RecordsAbout, names: list[str]) -> StepsInfo:
    return StepsInfo(
        env_id=about.env_id,
        family=family_of_id(about.env_id),
        names=names,
        observation=_step_components(about.observation),
        action=_step_components(about.action),
        seeds=[episode.seed for episode in about.episodes],
        frames_every=about.frames_every,
        squashed=about.squashed,
        cut=about.cut,
        versions=about.versions,
    )


def _step_components(components: Components) -> StepComponents:
    layout = components.layout
    is_discrete = layout.kind == "Discrete"
    return StepComponents(
        kind=layout.kind,
        numbers=layout.numbers,
        labels=components.labels,
        units=components.units,
        low=_finite(layout.low),
        high=_finite(layout.high),
        factors=view_factors(components.factors),
        starts=layout.starts,
        n=layout.counts[0] if is_discrete and layout.counts else None,
        counts=layout.counts if not is_discrete and layout.counts else [],
    )


def _finite(bounds: Sequence[float] | None) -> list[float | None] | None:
    return None if bounds is None else [bound if isfinite(bound) else None for bound in bounds]
