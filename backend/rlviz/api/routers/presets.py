"""The user's own presets, which the lists of environments show among ours."""

from __future__ import annotations

from fastapi import APIRouter

from rlviz.api.dependencies import App
from rlviz.api.problems import documented
from rlviz.domain.errors import PresetNotFound
from rlviz.domain.presets import OwnPreset

router = APIRouter(prefix="/presets", tags=["presets"])


@router.get("")
def list_own_presets(app: App) -> list[OwnPreset]:
    """By title."""
    return list(app.own_presets.all())


@router.delete("/{preset_id}", status_code=204, responses=documented(PresetNotFound))
def delete_own_preset(preset_id: str, app: App) -> None:
    """Runs that were made with it keep their values."""
    app.own_presets.delete(preset_id)
