"""Specification: an experiment that measures the presets of one environment, from its file in ``specifications``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rlviz.domain.experiments import ExperimentSpec, Variant
from rlviz.domain.presets import Preset
from rlviz.environments import ENVIRONMENTS
from rlviz.environments.base import Environment
from rlviz.placed_file import read_placed_file
from rlviz.presets.catalog import presets_tuned_for

FOLDER = Path(__file__).parent / "specifications"


@dataclass(frozen=True)
class Specification:
    path: Path
    spec: ExperimentSpec

    @classmethod
    def read(cls, path: Path) -> Specification:
        """Raises InvalidRequest for a file that is no TOML, and ValidationError for one that is no specification."""
        return cls(path, ExperimentSpec.model_validate(read_placed_file(path, "experiments").values))

    @cached_property
    def environment(self) -> Environment:
        """With the options of the specification."""
        return ENVIRONMENTS.get(self.spec.base.env_id).resolve(self.spec.base.env_options)

    def preset_of(self, variant: Variant) -> Preset:
        """Raises StopIteration where there is no such preset."""
        wishes = variant.wishes(self.spec.base)
        when = self.spec.base.env_options
        return next(
            preset
            for preset in presets_tuned_for(self.environment.id)
            if (preset.algorithm, preset.id.value, preset.when) == (wishes.algo, wishes.preset, when)
        )

    def only(self, names: Iterable[str], seeds: int | None) -> Specification:
        """The same with the variants of these names alone, and with so many seeds if that is given."""
        kept = set(names)
        changes = {"variants": [one for one in self.spec.variants if one.name in kept]}
        return Specification(
            self.path, self.spec.model_copy(update={**changes, **({} if seeds is None else {"seeds": seeds})})
        )


def specifications() -> list[Specification]:
    """All of them, by the names of their files."""
    return [Specification.read(path) for path in sorted(FOLDER.glob("*.toml"))]
