"""Comparisons: values that a search of ours found against those of another project, for docs/presets.md.

Each is a folder of ``docs/comparison`` with ``search.toml``, the experiment that found the values,
``specification.toml``, the one that compares them, and ``results.json``, what that one showed
(``GET /experiments/{id}/results``). Of one without results it is said what it would take.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measuring.rates import known_rates
from measuring.tables import FIGURES, figure_cells, hours, row, show, show_return
from rlviz.domain.experiments import ExperimentSpec
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.presets.catalog import measured, presets_tuned_for
from rlviz.placed_file import read_placed_file
from rlviz.server.experiments.results.service import measured_of
from rlviz.stats.experiments import ExperimentResults

COMPARISONS = Path(__file__).parents[2] / "docs" / "comparison"

_INTRODUCTION = """\
Values that a search of ours found against the tuned ones of another project: as many environment steps, the same seeds,
none of which the search has seen, and the same greedy evaluation while they train. Scored is the policy that was kept,
the best of these evaluations, on fresh episodes, as in the tables above. A search proposes the best of its trials,
which is partly the luckiest: that is why it is trained again here. Where another of its trials is, the specification
says why.
"""


@dataclass(frozen=True)
class Comparison:
    """``folder``: its name in ``docs/comparison``."""

    folder: str
    search: ExperimentSpec
    spec: ExperimentSpec
    results: ExperimentResults | None

    @classmethod
    def read(cls, folder: Path) -> Comparison:
        def spec(name: str) -> ExperimentSpec:
            return ExperimentSpec.model_validate(read_placed_file(folder / name, "experiments").values)

        path = folder / "results.json"
        results = ExperimentResults.model_validate_json(path.read_bytes()) if path.exists() else None
        return cls(folder.name, spec("search.toml"), spec("specification.toml"), results)

    @property
    def title(self) -> str:
        return f"{ALGORITHMS.get(self.spec.base.algo).name} on {ENVIRONMENTS.get(self.spec.base.env_id).name}"


def comparisons(folder: Path = COMPARISONS) -> Iterator[str]:
    """The section of the document, or nothing where nothing was compared."""
    found = [Comparison.read(path.parent) for path in sorted(folder.glob("*/search.toml"))]
    if not found:
        return
    yield "## Against their sources\n"
    yield _INTRODUCTION
    for one in found:
        if one.results is not None:
            yield from _section(one, one.results)
    held = list(_held(found))
    if held:
        yield f"Where RL Zoo's values held every seed there was nothing to search for: {'; '.join(held)}.\n"
    waiting = [_cost(one) for one in found if one.results is None]
    if waiting:
        yield f"Not compared yet, with what search and comparison would take one core: {'; '.join(waiting)}.\n"


def _held(found: Sequence[Comparison]) -> Iterator[str]:
    """Presets with RL Zoo's values of which every seed held, where their algorithm is compared in another
    environment."""
    compared = {(one.spec.base.algo, one.spec.base.env_id) for one in found}
    algorithms = {algo for algo, _ in compared}
    for environment in ENVIRONMENTS:
        for preset in presets_tuned_for(environment.id):
            place = (preset.algorithm, environment.id)
            if preset.algorithm in algorithms and place not in compared and preset.source.startswith("RL Zoo"):
                figures = measured(preset, environment.id)
                if figures is not None and figures.held == figures.seeds:
                    title = f"{ALGORITHMS.get(preset.algorithm).name} on {environment.name}"
                    yield f"{title} ({preset.title}: {figures.held} of {figures.seeds})"


def _cost(one: Comparison) -> str:
    """What the runs of both experiments would take, by the rate that was measured: the values found are one variant
    more than those that are known. What a search gives up early is not taken off."""
    rate = known_rates().get(one.spec.base.env_id, {}).get(one.spec.base.algo)
    runs = one.search.cells + (len(one.spec.variants) + 1) * len(one.spec.seed_list)
    about = "not known" if rate is None else f"about {hours(runs * (one.spec.base.total_timesteps or 0) / rate)}"
    at = f"comparison/{one.folder}"
    return f"{one.title} {about} ([search]({at}/search.toml), [comparison]({at}/specification.toml))"


def _section(one: Comparison, results: ExperimentResults) -> Iterator[str]:
    base, variants = one.spec.base, one.spec.variants
    yield f"### {one.title}\n"
    yield row("", *(variant.name for variant in variants))
    yield row("---", *("---" for _ in variants))
    given = [variant.changes.hyperparameters for variant in variants]
    for name in dict.fromkeys(name for values in given for name in values):
        yield row(f"`{name}`", *(_value(values[name]) if name in values else "–" for values in given))
    yield ""
    yield row("measured", *FIGURES)
    yield row(*["---"] * (1 + len(FIGURES)))
    for scores in results.variants:
        yield row(scores.label, *figure_cells(measured_of(scores.variant, results), scores.threshold))
    yield f"\n{results.verdict.headline} {_at_the_end(results)}\n"
    at = f"comparison/{one.folder}"
    yield (
        f"{base.total_timesteps or 0:,} steps, {len(one.spec.seed_list)} seeds, {one.spec.score.episodes} fresh "
        f"episodes each ([specification]({at}/specification.toml), [results]({at}/results.json)). {_search(one, at)}\n"
    )


def _value(value: Any) -> str:
    """Four digits of what a search found; the specification has them all."""
    return show(float(f"{value:.4g}") if isinstance(value, float) else value)


def _at_the_end(results: ExperimentResults) -> str:
    """How the policies did that training ended with, which may have forgotten what the kept ones know; nothing where
    they were not evaluated, or where seeds ended apart."""
    if results.curves.source != "evaluation":
        return ""
    curves = {one.variant: one for one in results.curves.variants if one.count[-1] == one.seeds}
    last = [
        f"{scores.label} {show_return(value, curve.low[-1], curve.high[-1])}"
        for scores in results.variants
        if (curve := curves.get(scores.variant)) is not None and (value := curve.iqm[-1]) is not None
    ]
    return f"The last policies did, by their evaluation at the end of training: {'; '.join(last)}." if last else ""


def _search(one: Comparison, at: str) -> str:
    """How the values were found."""
    sweep = one.search.sweep
    assert sweep is not None, f"{at}/search.toml is no search"
    seeds = one.search.seed_list
    return (
        f"Found by [a search]({at}/search.toml) of {sweep.trials} trials with {len(seeds)} seeds each "
        f"({', '.join(map(str, seeds))})."
    )
