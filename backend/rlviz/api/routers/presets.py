"""The user's own presets, which the lists of environments show among ours; and the measured curves of both."""

from fastapi.responses import PlainTextResponse

from rlviz.api.dependencies import App
from rlviz.api.problems import documented
from rlviz.api.router import Router
from rlviz.domain.errors import CurveNotFound, PresetNotFound, SpecificationNotFound
from rlviz.domain.presets import MeasuredCurve, OwnPreset
from rlviz.presets.catalog import known_curves, specification_text

router = Router(prefix="/presets", tag="presets")


@router.get("")
def list_own_presets(app: App) -> list[OwnPreset]:
    """By title."""
    return list(app.own_presets.all())


@router.get("/curves/{curve_id}", responses=documented(CurveNotFound))
def get_measured_curve(curve_id: str, app: App) -> MeasuredCurve:
    """The learning curve over the seeds that a preset was measured with, by its `curve`."""
    own = (preset.curve for preset in app.own_presets.all() if preset.curve_id == curve_id)
    found = known_curves().get(curve_id) or next(own, None)
    if found is None:
        raise CurveNotFound(curve_id)
    return found


@router.get("/specifications/{name}", response_class=PlainTextResponse, responses={**documented(SpecificationNotFound)})
def get_measuring_specification(name: str) -> PlainTextResponse:
    """The experiment that measured a preset of ours, by its `measured.specification`: a file for
    `rlviz experiment run`."""
    found = specification_text(name)
    if found is None:
        raise SpecificationNotFound(name)
    return PlainTextResponse(found)


@router.delete("/{preset_id}", status_code=204, responses=documented(PresetNotFound))
def delete_own_preset(preset_id: str, app: App) -> None:
    """Runs that were made with it keep their values."""
    app.own_presets.delete(preset_id)
