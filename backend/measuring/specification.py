"""Reads specifications, which say how the presets of one environment are measured.

They are files in ``rlviz/learning/presets/specifications``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from rlviz.domain.experiments import ExperimentSpec, Variant
from rlviz.domain.presets import Preset
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.presets.catalog import SPECIFICATIONS, digest, presets_tuned_for
from rlviz.placed_file import read_placed_file


@dataclass(frozen=True)
class Specification:
    path: Path
    spec: ExperimentSpec

    @classmethod
    def read(cls, path: Path) -> Specification:
        """Read a file. Raises InvalidRequest if it is not TOML, and ValidationError if it is not a specification."""
        return cls(path, ExperimentSpec.model_validate(read_placed_file(path, "experiments").values))

    @cached_property
    def environment(self) -> Environment:
        """The environment, with the options of the specification."""
        return ENVIRONMENTS.get(self.spec.base.env_id).resolve(self.spec.base.env_options)

    def preset_of(self, variant: Variant) -> Preset:
        """Return the preset of a variant. Raises StopIteration if there is none."""
        run_spec = variant.run_spec(self.spec.base)
        when = self.spec.base.env_options
        return next(
            preset
            for preset in presets_tuned_for(self.environment.id)
            if (preset.algorithm, preset.id.value, preset.when) == (run_spec.algo, run_spec.preset, when)
        )

    def title_of(self, variant: Variant) -> str:
        """Return the name, without the preset's digest, of the experiment that measures only this variant."""
        return f"{variant.name}, {self.spec.name}"

    def measurement(self, variant: Variant, *, seeds: int | None = None, parallel: int | None = None) -> Measurement:
        """Return the experiment that measures only ``variant``. ``seeds``: None for the number in the file."""
        preset = self.preset_of(variant)
        known_by = digest(preset, self.environment.id)
        changes = {
            "name": f"{self.title_of(variant)}, {known_by}",
            "variants": [variant],
            "seeds": self.spec.seeds if seeds is None else seeds,
            "parallel": self.spec.parallel if parallel is None else parallel,
        }
        return Measurement(self.path.name, self.environment, preset, known_by, self.spec.model_copy(update=changes))


@dataclass(frozen=True)
class Measurement:
    """A preset to measure.

    ``digest`` covers everything it trains with. It is part of the experiment's name, so that an experiment from before
    a change of the preset is not mistaken for one of the changed preset.
    """

    specification: str
    environment: Environment
    preset: Preset
    digest: str
    spec: ExperimentSpec

    @property
    def name(self) -> str:
        return self.spec.name or ""

    @property
    def seeds(self) -> int:
        return len(self.spec.seed_list)


@cache
def specifications() -> tuple[Specification, ...]:
    """Return all specifications, sorted by file name."""
    return tuple(Specification.read(path) for path in sorted(SPECIFICATIONS.glob("*.toml")))
