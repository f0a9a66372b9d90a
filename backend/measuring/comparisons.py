"""Writes the section of docs/presets.md that compares values found by our searches with those of another project.

Each comparison is a folder in ``docs/comparison``: ``search.toml`` is the experiment that found the values,
``specification.toml`` the one that compares them, and ``results.json`` its results (``GET /experiments/{id}/results``).
For a comparison without results, the section says how long it would take.
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
These tables compare values found by our searches with the tuned values of another project. Both train for the same
number of environment steps, with the same seeds, which the search has not used, and with the same evaluations.
The score is that of the kept policy, the best of these evaluations, on fresh episodes, as in the tables above. The best
trial of a search may just be the luckiest, so it is trained again here. If another of its trials is compared, the
specification says why.
"""


@dataclass(frozen=True)
class Comparison:
    """A comparison. ``folder`` is its name in ``docs/comparison``."""

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
    """Yield the section of the document, or nothing if there are no comparisons."""
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
        yield f"RL Zoo's values held every seed, so there was nothing to search for: {'; '.join(held)}.\n"
    waiting = [_cost(one) for one in found if one.results is None]
    if waiting:
        yield f"Not compared yet, with the time that one core needs for search and comparison: {'; '.join(waiting)}.\n"


def _held(found: Sequence[Comparison]) -> Iterator[str]:
    """Yield presets with RL Zoo's values that held every seed, if their algorithm is compared elsewhere."""
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
    """Estimate the time of both experiments by the measured rate.

    The values to find are one more variant. Trials that a search prunes early are counted in full.
    """
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
        figures = measured_of(scores.variant, results)
        yield row(scores.label, *figure_cells(figures, scores.threshold))
    yield f"\n{results.verdict.headline} {_at_the_end(results)}\n"
    at, actions = f"comparison/{one.folder}", "" if one.spec.score.is_greedy else " with sampled actions"
    yield (
        f"{base.total_timesteps or 0:,} steps, {len(one.spec.seed_list)} seeds, {one.spec.score.episodes} fresh "
        f"episodes each{actions} ([specification]({at}/specification.toml), [results]({at}/results.json)). "
        f"{_search(one, at)}\n"
    )


def _value(value: Any) -> str:
    """Format a value with four digits; the specification has all digits."""
    return show(float(f"{value:.4g}") if isinstance(value, float) else value)


def _at_the_end(results: ExperimentResults) -> str:
    """Return the results of the last policies, which may be worse than the kept ones.

    Empty if they were not evaluated, or if seeds ended at different steps.
    """
    if results.curves.source != "evaluation":
        return ""
    curves = {one.variant: one for one in results.curves.variants if one.count[-1] == one.seeds}
    last = [
        f"{scores.label} {show_return(value, curve.low[-1], curve.high[-1])}"
        for scores in results.variants
        if (curve := curves.get(scores.variant)) is not None and (value := curve.iqm[-1]) is not None
    ]
    return f"The last policies reached, in the evaluation at the end of training: {'; '.join(last)}." if last else ""


def _search(one: Comparison, at: str) -> str:
    """Return a sentence that says how the values were found."""
    sweep = one.search.sweep
    assert sweep is not None, f"{at}/search.toml is no search"
    seeds = one.search.seed_list
    return (
        f"Found by [a search]({at}/search.toml) of {sweep.trials} trials with {len(seeds)} seeds each "
        f"({', '.join(map(str, seeds))})."
    )
