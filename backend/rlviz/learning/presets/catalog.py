"""Reads the preset files: which presets apply to an environment, and their measured results."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from pydantic import ConfigDict, JsonValue, TypeAdapter

from rlviz.domain.errors import UnknownName
from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.presets import MeasuredCurve, MeasuredPreset, OwnPreset, Preset, PresetId

FILES = Path(__file__).parent / "files"
MEASURED = Path(__file__).parent / "measured.json"
CURVES = Path(__file__).parent / "curves.json"
"""Learning curves by digest. A separate file, because the page needs one curve at a time."""

SPECIFICATIONS = Path(__file__).parent / "specifications"
"""Folder of the experiments that measure presets, one file for each environment."""

ANYWHERE = "any environment"


class PresetFile(LazyModel):
    """A file in ``files/``: the presets of one environment, or the general presets of an algorithm."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    environment: str | None = None
    preset: tuple[Preset, ...]


def read_preset_files() -> tuple[PresetFile, ...]:
    """Read all preset files."""
    return tuple(
        PresetFile.model_validate(tomllib.loads(path.read_text("utf-8"))) for path in sorted(FILES.glob("*.toml"))
    )


@cache
def preset_files() -> tuple[PresetFile, ...]:
    """Return all preset files, which are read once."""
    return read_preset_files()


def presets_for(
    algorithm: str, env_id: str | None = None, options: Mapping[str, JsonValue] | None = None
) -> list[Preset]:
    """Return the presets of an algorithm for an environment with these options, one for each id.

    A preset in the environment's file wins over a general one. In the same file, the preset whose ``when`` names more
    options wins.
    """
    found = {preset.id: preset for preset in _general(algorithm)}
    fitting = [
        preset
        for preset in presets_tuned_for(env_id)
        if preset.algorithm == algorithm and _applies(preset, options or {})
    ]
    found |= {preset.id: preset for preset in sorted(fitting, key=lambda preset: len(preset.when))}
    return [found[preset_id] for preset_id in PresetId if preset_id in found]


def preset_for(
    preset_id: str,
    algorithm: str,
    env_id: str | None = None,
    options: Mapping[str, JsonValue] | None = None,
    own: Sequence[OwnPreset] = (),
) -> Preset | OwnPreset:
    """Return the preset with that id, built in or one of the user's ``own``. Raises UnknownName."""
    found: dict[str, Preset | OwnPreset] = {
        preset.id.value: preset for preset in presets_for(algorithm, env_id, options)
    }
    found |= {preset.id: preset for preset in own_presets_for(own, algorithm, env_id, options)}
    if preset_id not in found:
        raise UnknownName("preset", preset_id, found, "/preset")
    return found[preset_id]


def own_presets_for(
    own: Sequence[OwnPreset],
    algorithm: str,
    env_id: str | None = None,
    options: Mapping[str, JsonValue] | None = None,
) -> list[OwnPreset]:
    """Return the user's ``own`` presets that apply."""
    return [
        preset
        for preset in own
        if (preset.algorithm, preset.environment) == (algorithm, env_id) and _applies(preset, options or {})
    ]


def digest(preset: Preset, env_id: str) -> str:
    """Return a digest of everything that a preset trains with, as 16 hexadecimal digits.

    Measured results are valid only for the same digest.
    """
    trained = {"algorithm", "total_timesteps", "when", "hyperparameters", "evaluation", "exploration"}
    content = preset.model_dump(mode="json", include=trained, exclude_none=True)
    text = json.dumps({**content, "environment": env_id}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def measured(preset: Preset, env_id: str) -> MeasuredPreset | None:
    """Return the results measured with exactly this preset and environment; None if it was not measured.

    Evaluations do not change training unless they end it. So a preset that was measured before it had evaluations keeps
    its figures, which are those of its last policies and say so.
    """
    found = _measured().get(figures_key(preset, env_id))
    if found is not None and figures_key(preset, env_id) != digest(preset, env_id):
        return found.model_copy(update={"policy": PolicyChoice.LATEST})
    return found


def figures_key(preset: Preset, env_id: str) -> str:
    """Return the digest under which the figures of ``preset`` are stored.

    It is the preset's own, or that of the same training without evaluations if only that was measured.
    """
    own = digest(preset, env_id)
    if own in _measured() or preset.evaluation is None or preset.evaluation.stop_after is not None:
        return own
    plain = digest(without_evaluation(preset), env_id)
    return plain if plain in _measured() else own


def without_evaluation(preset: Preset) -> Preset:
    """Return the same training without evaluations."""
    return preset.model_copy(update={"evaluation": None})


@cache
def _measured() -> Mapping[str, MeasuredPreset]:
    if not MEASURED.exists():
        return {}
    return TypeAdapter(dict[str, MeasuredPreset]).validate_json(MEASURED.read_bytes())


def measured_curves() -> Mapping[str, MeasuredCurve]:
    """Read the measured curves, by digest of the preset."""
    if not CURVES.exists():
        return {}
    return TypeAdapter(dict[str, MeasuredCurve]).validate_json(CURVES.read_bytes())


@cache
def known_curves() -> Mapping[str, MeasuredCurve]:
    """Return the measured curves, which are read once."""
    return measured_curves()


@cache
def _general(algorithm: str) -> tuple[Preset, ...]:
    return tuple(
        preset
        for file in preset_files()
        if file.environment is None
        for preset in file.preset
        if preset.algorithm == algorithm
    )


@cache
def presets_tuned_for(env_id: str | None) -> tuple[Preset, ...]:
    """Return the presets tuned for an environment."""
    return next((file.preset for file in preset_files() if env_id is not None and file.environment == env_id), ())


def _applies(preset: Preset | OwnPreset, options: Mapping[str, JsonValue]) -> bool:
    return all(options.get(name) == value for name, value in preset.when.items())


def specification_text(name: str) -> str | None:
    """Return the text of the specification in the file ``name``; None if there is no such file."""
    return next((path.read_text("utf-8") for path in SPECIFICATIONS.glob("*.toml") if path.name == name), None)
