"""Converts clips and value slices into API schemas."""

from __future__ import annotations

from rlviz.api.proxy import link
from rlviz.api.schemas.film import Clip
from rlviz.api.schemas.value_slices import RunValueSlice, SliceAxis
from rlviz.domain.value_slice import SliceRange, ValueSlice
from rlviz.environments.base import Space
from rlviz.services.use_cases.film import FoundClip
from rlviz.services.use_cases.value_slices import WantedSlice


def view_clip(clip: FoundClip) -> Clip:
    record, file = clip.record, link(f"/api/runs/{clip.run_id}/artifacts/film/clips/{clip.record.id}")
    return Clip(
        **record.model_dump(exclude={"schema_version"}),
        run_id=clip.run_id,
        status=clip.status,
        step=clip.step,
        video_url=f"{file}.mp4" if clip.has_video else None,
        thumbnail_url=f"{file}.webp" if clip.has_thumbnail else None,
    )


def view_value_slice(wanted: WantedSlice, found: ValueSlice) -> RunValueSlice:
    return RunValueSlice(
        **found.model_dump(exclude={"x", "y"}),
        run_id=wanted.run_id,
        step=wanted.step,
        x=_slice_axis(wanted.space, wanted.plan.x, found.x),
        y=_slice_axis(wanted.space, wanted.plan.y, found.y),
    )


def _slice_axis(space: Space, place: int, reach: SliceRange) -> SliceAxis:
    name = space.labels[place] if space.labels else str(place)
    return SliceAxis(place=place, name=name, unit=space.units[place] if space.units else "", **reach.model_dump())
