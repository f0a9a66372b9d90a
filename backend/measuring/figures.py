"""Reads and writes measured figures in the files of the repository."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter

from measuring.curve import draw
from measuring.document import DOCUMENT, PICTURES, curve_name
from measuring.specification import Measurement
from rlviz.domain.presets import MeasuredCurve, MeasuredPreset
from rlviz.learning.presets.catalog import CURVES, MEASURED, digest, read_preset_files, without_evaluation
from rlviz.rundir.files import write_atomically
from rlviz.server.experiments.results.service import curve_of, measured_of
from rlviz.stats.experiments import ExperimentResults

_FIGURES = TypeAdapter(dict[str, MeasuredPreset])
_CURVES = TypeAdapter(dict[str, MeasuredCurve])


class Figures:
    """Figures and curves by the digest of their preset, and a picture of each curve.

    Files are read again before each write, so that results of another process stay. Figures of presets that no longer
    exist are dropped.
    """

    def __init__(
        self, measured: Path = MEASURED, curves: Path = CURVES, pictures: Path = DOCUMENT.parent / PICTURES
    ) -> None:
        self._measured, self._curves, self._pictures = measured, curves, pictures

    def seeds_of(self, digest: str) -> int:
        """Return the number of seeds that a preset was measured with; 0 if it was not measured."""
        known = self._read_figures().get(digest)
        return 0 if known is None or known.specification is None else known.seeds

    def write(self, one: Measurement, results: ExperimentResults) -> MeasuredPreset:
        """Write the results of an experiment with only this preset, in which every seed has a score."""
        (variant,) = results.variants
        found = measured_of(variant.variant, results, sampled_scores=not one.spec.score.is_greedy)
        found = found.model_copy(update={"specification": one.specification})
        figures, curves = self._read()
        figures[one.digest] = found
        curves.pop(one.digest, None)
        curve = curve_of(results.curves, variant.variant)
        if curve is not None:
            curves[one.digest] = curve
            self._pictures.mkdir(parents=True, exist_ok=True)
            picture = draw(curve, results.threshold)
            write_atomically(self._pictures / curve_name(one.preset, one.environment), picture.encode())
        self._write(figures, curves)
        return found

    def drop_unknown(self) -> None:
        """Drop the figures of presets that no longer exist."""
        self._write(*self._read())

    def _read(self) -> tuple[dict[str, MeasuredPreset], dict[str, MeasuredCurve]]:
        """Read the figures and curves of presets that exist."""
        known = _digests()
        curves = _CURVES.validate_json(self._curves.read_bytes()) if self._curves.exists() else {}
        return (
            {name: figures for name, figures in self._read_figures().items() if name in known},
            {name: curve for name, curve in curves.items() if name in known},
        )

    def _write(self, figures: dict[str, MeasuredPreset], curves: dict[str, MeasuredCurve]) -> None:
        lines = _CURVES.dump_json(dict(sorted(curves.items()))).replace(b"},", b"},\n")
        write_atomically(self._curves, lines + b"\n")
        no_policy = {"__all__": {"policy"}}  # not part of a measurement: ``catalog.measured`` sets it
        text = _FIGURES.dump_json(dict(sorted(figures.items())), indent=2, exclude=no_policy)
        write_atomically(self._measured, text + b"\n")

    def _read_figures(self) -> dict[str, MeasuredPreset]:
        return _FIGURES.validate_json(self._measured.read_bytes()) if self._measured.exists() else {}


def _digests() -> set[str]:
    """Return the digests of all current presets of environments, with and without their evaluations."""
    return {
        digest(one, file.environment)
        for file in read_preset_files()
        if file.environment is not None
        for preset in file.preset
        for one in (preset, without_evaluation(preset))
    }
