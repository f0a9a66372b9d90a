"""Comparisons: values that a search of ours found against those of another project, for docs/presets.md.

Each is a folder of ``docs/comparison`` with ``search.toml``, the experiment that found the values,
``specification.toml``, the one that compares them, and ``results.json``, what that one showed
(``GET /experiments/{id}/results``). One without results is not shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from measuring.tables import FIGURES, figure_cells, row, show
from rlviz.algorithms import ALGORITHMS
from rlviz.analysis.experiments import ExperimentResults
from rlviz.domain.experiments import ExperimentSpec
from rlviz.environments import ENVIRONMENTS
from rlviz.placed_file import read_placed_file
from rlviz.services.experiment_results.variant_preset import measured_of

COMPARISONS = Path(__file__).parents[2] / "docs" / "comparison"

_INTRODUCTION = """\
Where tuned values of another project fail seeds, a search of ours looked for others, and both were compared: as many
environment steps, the same seeds, none of which the search had seen, and the same greedy evaluation while they trained.
Scored is the policy *at the end* on fresh episodes, so that a seed that had learned it and lost it again has not held
it. A search proposes the best of its trials, which is partly the luckiest: that is why it is trained again here.
"""


@dataclass(frozen=True)
class Comparison:
    """``folder``: its name in ``docs/comparison``."""

    folder: str
    search: ExperimentSpec
    spec: ExperimentSpec
    results: ExperimentResults

    @classmethod
    def read(cls, folder: Path) -> Comparison:
        def spec(name: str) -> ExperimentSpec:
            return ExperimentSpec.model_validate(read_placed_file(folder / name, "experiments").values)

        results = ExperimentResults.model_validate_json((folder / "results.json").read_bytes())
        return cls(folder.name, spec("search.toml"), spec("specification.toml"), results)


def comparisons(folder: Path = COMPARISONS) -> Iterator[str]:
    """The section of the document, or nothing where nothing was compared."""
    found = [
        Comparison.read(path.parent)
        for path in sorted(folder.glob("*/search.toml"))
        if (path.parent / "results.json").exists()
    ]
    if not found:
        return
    yield "## Against their sources\n"
    yield _INTRODUCTION
    for one in found:
        yield from _section(one)


def _section(one: Comparison) -> Iterator[str]:
    base, variants = one.spec.base, one.spec.variants
    yield f"### {ALGORITHMS.get(base.algo).name} on {ENVIRONMENTS.get(base.env_id).name}\n"
    yield row("", *(variant.name for variant in variants))
    yield row("---", *("---" for _ in variants))
    given = [variant.changes.hyperparameters for variant in variants]
    for name in dict.fromkeys(name for values in given for name in values):
        yield row(f"`{name}`", *(show(values[name]) if name in values else "–" for values in given))
    yield ""
    yield row("at the end", *FIGURES)
    yield row(*["---"] * (1 + len(FIGURES)))
    for scores in one.results.variants:
        yield row(scores.label, *figure_cells(measured_of(scores.variant, one.results), scores.threshold))
    yield f"\n{one.results.verdict.headline}\n"
    at = f"comparison/{one.folder}"
    yield (
        f"{base.total_timesteps or 0:,} steps, {len(one.spec.seed_list)} seeds, {one.spec.score.episodes} fresh "
        f"episodes each ([specification]({at}/specification.toml), [results]({at}/results.json)). {_search(one, at)}\n"
    )


def _search(one: Comparison, at: str) -> str:
    """How the values were found."""
    sweep = one.search.sweep
    assert sweep is not None, f"{at}/search.toml is no search"
    seeds = one.search.seed_list
    return (
        f"Found by [a search]({at}/search.toml) of {sweep.trials} trials with {len(seeds)} seeds each "
        f"({', '.join(map(str, seeds))})."
    )
