"""The page of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from xml.etree.ElementTree import Element, tostring

from rlviz.analysis.best_first import best_first
from rlviz.analysis.experiments import tables
from rlviz.analysis.experiments.across import Across, normalisation
from rlviz.analysis.experiments.made import Made
from rlviz.analysis.experiments.pairs import Improvements
from rlviz.analysis.experiments.report.axes import for_both
from rlviz.analysis.experiments.report.drawings import (
    Places,
    draw_curves,
    draw_forest,
    draw_profiles,
    draw_thresholds,
    legend,
)
from rlviz.analysis.experiments.report.each_seed import each_seed
from rlviz.analysis.experiments.report.elements import Child, element, table
from rlviz.analysis.experiments.results import ExperimentResults
from rlviz.analysis.experiments.scores import VariantScores
from rlviz.analysis.numbers import listed, share_ends

STYLE = Path(__file__).parent / "style.css"

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Content security policy of the page itself, wherever it is opened: nothing is fetched, nothing runs."""


@dataclass(frozen=True)
class ReportHead:
    """``made_at``: date and time as text. ``specification``: of the experiment, as JSON."""

    title: str
    experiment_id: str
    made_at: str
    version: str
    specification: str


def report(head: ReportHead, results: ExperimentResults) -> str:
    """One HTML document, which lists variants from the best to the worst. All text in it is escaped."""
    methods = results.across.methods if results.across else []
    places = {one.variant: place for group in (results.variants, methods) for place, one in enumerate(group)}
    labels = {one.variant: one.label for one in (*results.variants, *methods)}
    results = _in_order(results)
    document = element(
        "html",
        element(
            "head",
            element("meta", charset="utf-8"),
            element("meta", http_equiv="Content-Security-Policy", content=POLICY),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("title", head.title),
            element("style", STYLE.read_text("utf-8")),
        ),
        element(
            "body", *_opening(head, results), *_sections(results, places, labels), *_closing(head, results, labels)
        ),
        lang="en",
    )
    # As XML, "<" is escaped within attributes too; empty elements are closed by a tag, as HTML wants it.
    text = tostring(document, encoding="unicode", short_empty_elements=False)
    return f"<!doctype html>\n{text}\n"


def _in_order(results: ExperimentResults) -> ExperimentResults:
    """The same with the best variant first in every list that has the order of the specification."""
    variants = best_first(results.variants, lambda one: one.rank)
    standings = {one.variant: standing for standing, one in enumerate(variants)}
    cost = sorted(results.cost.variants, key=lambda one: standings[one.variant])
    changes: dict[str, object] = {
        "variants": variants,
        "cost": results.cost.model_copy(update={"variants": cost}),
    }
    if results.thresholds is not None:
        arrivals = sorted(results.thresholds.variants, key=lambda one: standings[one.variant])
        changes["thresholds"] = results.thresholds.model_copy(update={"variants": arrivals})
    return results.model_copy(update=changes)


def _opening(head: ReportHead, results: ExperimentResults) -> list[Element]:
    counted = f"{results.scored} of {results.trials} trials have a score"
    if results.failed:
        counted += f", {results.failed} ended without one"
    return [
        element("h1", head.title),
        element("p", f"{head.experiment_id} · {counted} · {head.made_at}", class_="about"),
        element(
            "section",
            element("h2", "Verdict"),
            element("p", results.verdict.headline, class_="verdict"),
            *(element("p", reason) for reason in results.verdict.reasons),
            *(element("p", element("strong", "Caution: "), caution) for caution in results.verdict.cautions),
            *how_made({"": results.verdict.made}),
        ),
    ]


def _sections(results: ExperimentResults, places: Places, labels: Mapping[str, str]) -> list[Element]:
    scored = [one for one in results.variants if one.n]
    what = "return" if results.across is None else "normalised score"
    found = []
    if results.across is not None and results.across.methods:
        found.append(_across(results.across, places))
    if scored:
        found.append(
            _section(
                "Scores" if results.across is None else "Scores on each environment",
                # returns of different environments have no scale in common
                *(
                    [for_both(partial(draw_forest, results.forest, results.variants, places))]
                    if results.across is None
                    else []
                ),
                table(tables.head(results), tables.rows(results), f"A score is {results.score_definition}."),
                *_figures_made(scored),
            )
        )
    if results.curves.variants:
        found.append(
            _section(
                "Learning curves",
                *_drawn_curves(results, places, labels),
                *(element("p", f"{labels[one.variant]}: {one.note}") for one in results.curves.variants if one.note),
                *_left_out(results.curves.left_out, labels),
                *how_made({labels[one.variant]: one.made for one in results.curves.variants}),
            )
        )
    if results.improvements.pairs:
        found.append(
            _section(
                "Probability of improvement",
                _matrix(results.improvements, labels),
                *_left_out(results.improvements.left_out, labels),
                *how_made(
                    {
                        f"{labels[one.first]} against {labels[one.second]}": one.made
                        for one in results.improvements.pairs
                    }
                ),
            )
        )
    if results.profiles.variants:
        found.append(
            _section(
                "Performance profiles",
                for_both(partial(draw_profiles, results.profiles, places, what)),
                _legend([one.variant for one in results.profiles.variants], labels, places),
                *_left_out(results.profiles.left_out, labels),
                *how_made({labels[one.variant]: one.made for one in results.profiles.variants}),
            )
        )
    if results.thresholds is not None and results.thresholds.variants:
        found.append(
            _section(
                "Steps to threshold",
                for_both(partial(draw_thresholds, results.thresholds, places)),
                _legend([one.variant for one in results.thresholds.variants], labels, places),
                *how_made({labels[one.variant]: one.made for one in results.thresholds.variants}),
            )
        )
    if seeds := each_seed(results):
        found.append(_section("Each seed", seeds))
    return found


def _drawn_curves(results: ExperimentResults, places: Places, labels: Mapping[str, str]) -> list[Element]:
    """One picture for each environment: returns of different ones have no scale in common."""
    environments = {one.variant: one.environment for one in results.variants}
    thresholds = {one.environment: one.threshold for one in results.variants}
    found = []
    for environment in dict.fromkeys(environments.values()):
        ours = results.curves.of([variant for variant, one in environments.items() if one == environment])
        if ours.variants:
            found += [element("h3", environment)] if results.across else []
            found.append(for_both(partial(draw_curves, ours, thresholds[environment], places)))
            found.append(_legend([one.variant for one in ours.variants], labels, places))
    return found


def _across(across: Across, places: Places) -> Element:
    """The methods over all environments."""
    return _section(
        f"Scores over {listed([one.environment for one in across.environments])}",
        for_both(partial(draw_forest, across.forest, across.methods, places)),
        table(tables.METHOD_HEAD, tables.method_rows(across), normalisation(across.environments)),
        *(element("p", sentence, class_="about") for sentence in across.left_out),
        *_figures_made(across.methods),
    )


def _figures_made(scored: Sequence[VariantScores]) -> list[Element]:
    """Folded where variants differ in how theirs were made, which takes a paragraph for each of them."""
    made = scored[0].made
    paragraphs = [
        paragraph for figure in made for paragraph in how_made({one.label: one.made[figure] for one in scored})
    ]
    if len(paragraphs) <= len(made):
        return paragraphs
    return [element("details", element("summary", "How each figure was made"), *paragraphs)]


def _closing(head: ReportHead, results: ExperimentResults, labels: Mapping[str, str]) -> list[Element]:
    costs = [
        [labels[one.variant], f"{one.core_seconds:,.0f}", f"{one.steps:,.0f}", str(one.trials)]
        for one in results.cost.variants
    ]
    return [
        _section(
            "Cost",
            element("p", f"{results.cost.core_seconds:,.0f} core-seconds."),
            table(["variant", "core-seconds", "environment steps", "trials"], costs, "What each variant has cost."),
            *how_made({"": results.cost.made}),
        ),
        _section(
            "Specification",
            element("details", element("summary", "As JSON"), element("pre", head.specification)),
            element("p", f"Made by RL Gym Visualizer {head.version}.", class_="about"),
        ),
    ]


def how_made(made: Mapping[str, Made]) -> list[Element]:
    """How one figure was made of each of several; those of one definition together, the others with their names."""
    by_definition: dict[str, list[str]] = {}
    for name, one in made.items():
        by_definition.setdefault(one.definition, []).append(name)
    return [
        _made_of([made[name] for name in names], ", ".join(names) if len(by_definition) > 1 else "")
        for names in by_definition.values()
    ]


def _made_of(made: Sequence[Made], names: str) -> Element:
    parts = [f"{names}:"] if names else []
    parts += [made[0].definition, f"n = {_span([one.n for one in made])}."]
    resamples = [one.resamples for one in made if one.resamples is not None]
    if resamples:
        parts.append(f"{_span(resamples)} resamples.")
    return element("p", " ".join([*parts, f"Source: {made[0].source}."]), class_="made")


def _span(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _section(title: str, *children: Child) -> Element:
    return element("section", element("h2", title), *children)


def _legend(variants: Sequence[str], labels: Mapping[str, str], places: Places) -> Element:
    return legend({variant: labels[variant] for variant in variants}, places)


def _left_out(variants: Sequence[str], labels: Mapping[str, str]) -> list[Element]:
    """Says what is not shown."""
    if not variants:
        return []
    named = ", ".join(labels[variant] for variant in variants[:10])
    more = f" and {len(variants) - 10} more" if len(variants) > 10 else ""
    return [element("p", f"Not shown, of lower rank: {named}{more}.", class_="about")]


def _matrix(found: Improvements, labels: Mapping[str, str]) -> Element:
    """How probably a seed of the row does better than one of the column, with the interval."""
    ends = {(pair.first, pair.second): (pair.low, pair.high) for pair in found.pairs}
    ends |= {(second, first): _turned(low, high) for (first, second), (low, high) in ends.items()}
    cells: list[list[Child]] = []
    for ours, values in zip(found.variants, found.matrix, strict=True):
        row: list[Child] = [labels[ours]]
        for theirs, value in zip(found.variants, values, strict=True):
            if value is None:
                row.append("")
                continue
            low, high = ends[ours, theirs]
            text = f"{value:.2f} {share_ends(low, high)}"
            row.append(element("span", text, title=f"{labels[ours]} against {labels[theirs]}"))
        cells.append(row)
    return table(
        ["", *(labels[variant] for variant in found.variants)],
        cells,
        "How probably a seed of the row does better than a seed of the column, with its 95 % interval.",
    )


def _turned(low: float | None, high: float | None) -> tuple[float | None, float | None]:
    """The interval the other way round."""
    return (None, None) if low is None or high is None else (1 - high, 1 - low)
