"""The report of an experiment: one self-contained HTML file without scripts or external resources, and tables for
papers (LaTeX) and pages (Markdown).

In order: drawings, tables, and the page. Drawings decide only positions; the results decide what is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from xml.etree.ElementTree import Element

from rlviz.domain.plain_text import chat_text, visible
from rlviz.stats.experiments import report as tables
from rlviz.stats.experiments.across import Across, describe_normalisation
from rlviz.stats.experiments.curves import Curves, Profiles
from rlviz.stats.experiments.results import ExperimentResults
from rlviz.stats.experiments.trials import Forest, Made, StepsToThreshold, Thresholds, VariantScores
from rlviz.stats.experiments.verdict import Improvements
from rlviz.stats.number_text import brief_number, decimal, interval_text, join_words, share_interval_text
from rlviz.stats.report_page import (
    NARROW,
    WIDE,
    Child,
    Frame,
    Scale,
    document,
    element,
    for_both,
    frame,
    path,
    picture,
    stretches,
    table,
    titled,
)
from rlviz.stats.returns import best_first

SERIES = 10
DASHES = ("", "7 4", "2 3", "10 3 2 3")
"""Dash patterns, so that lines can be distinguished without colour."""

ROW, NARROW_ROW = 34, 50
NAME, NUMBER = 190.0, 150.0

Places = Mapping[str, int]
"""Position of each variant in the specification, which determines its colour everywhere."""


def style(place: int) -> dict[str, str]:
    return {"class_": f"s{place % SERIES + 1}", "stroke_dasharray": DASHES[place // SERIES % len(DASHES)] or "none"}


def legend(labels: Mapping[str, str], places: Places) -> Element:
    """Return a legend. ``labels`` by variant, in drawing order."""
    return element(
        "ul",
        *(
            element(
                "li",
                element(
                    "svg",
                    element("line", x1=0, x2=28, y1=6, y2=6, **line(places[variant])),
                    viewBox="0 0 28 12",
                    width=28,
                    height=12,
                    aria_hidden="true",
                ),
                f" {label}",
            )
            for variant, label in labels.items()
        ),
        class_="legend",
    )


def line(place: int) -> dict[str, str]:
    """Return line attributes; every second variant has a dashed line."""
    look = style(place)
    return {**look, "class_": f"line {look['class_']}", "stroke_dasharray": DASHES[place % len(DASHES)] or "none"}


def draw_forest(forest: Forest, variants: Sequence[VariantScores], places: Places, width: float = WIDE) -> Element:
    """Draw a row per variant: seeds as dots, the interquartile mean as a square, the interval as a line. Name and
    number are beside the row, or above it in a narrow picture."""
    low, high = forest.minimum or 0.0, forest.maximum or 0.0
    margin = (high - low or 1.0) * 0.04
    beside = width > NARROW
    size = ROW if beside else NARROW_ROW
    x = Scale(low - margin, high + margin, *((NAME, width - NUMBER) if beside else (12.0, width - 12.0)))
    height = size * len(forest.rows) + 44.0
    bottom = height - 36
    seeds = {one.variant: one.scores for one in variants}
    parts = []
    for value, text in x.marks(4):
        parts.append(element("line", x1=x(value), x2=x(value), y1=4, y2=bottom, class_="grid"))
        parts.append(element("text", text, x=x(value), y=bottom + 18, text_anchor="middle"))
    if forest.reference is not None:
        at = x(forest.reference)
        parts.append(element("line", x1=at, x2=at, y1=4, y2=bottom, class_="reference"))
        anchor = "middle" if beside else "end" if at > width / 2 else "start"
        parts.append(element("text", "threshold", x=at, y=bottom + 32, text_anchor=anchor))
    for number, row in enumerate(forest.rows):
        middle = size * number + size / 2 + 4
        y, words = (middle, middle + 4) if beside else (middle + 10, middle - 8)
        look = f"s{places[row.variant] % SERIES + 1}"
        name = element("text", _short(row.label), y=words, **_placed(NAME - 12 if beside else 4, end=beside))
        parts.append(titled(name, row.label))
        parts += [
            titled(
                element("circle", cx=x(seed.score), cy=y, r=3, class_=f"seed {look}"),
                f"seed {seed.seed}{f' on {seed.environment}' if seed.environment else ''}: {decimal(seed.score)}",
            )
            for seed in seeds[row.variant]
        ]
        label = f"{decimal(row.iqm)} {interval_text(row.low, row.high)}"
        if row.low is not None and row.high is not None:
            parts.append(element("line", x1=x(row.low), x2=x(row.high), y1=y, y2=y, class_=f"interval {look}"))
        parts.append(
            titled(element("rect", x=x(row.iqm) - 5, y=y - 5, width=10, height=10, class_=f"point {look}"), label)
        )
        shown = decimal(row.iqm) if row.low is None else label  # the text would not fit beside the picture
        place = _placed(width - (NUMBER - 10 if beside else 4), end=not beside)
        parts.append(element("text", shown, y=words, class_="number", **place))
    return picture(*parts, width=width, height=height, label=f"Forest plot of {len(forest.rows)} variants")


def _placed(x: float, *, end: bool) -> dict[str, object]:
    """Return attributes of text that starts or ends at ``x``."""
    return {"x": x, "text_anchor": "end" if end else "start"}


def draw_curves(curves: Curves, threshold: float | None, places: Places, width: float = WIDE) -> Element:
    ends = [value for one in curves.variants for column in (one.iqm, one.low, one.high) for value in column]
    known = [value for value in ends if value is not None] + ([] if threshold is None else [threshold])
    if not known or not curves.step:
        return element("p", "No data was logged for a learning curve.")
    box = frame((0.0, curves.step[-1]), _spread(known), width)
    what = "return in evaluations" if curves.source == "evaluation" else "return in training"
    parts = box.drawn("environment steps", what)
    if threshold is not None:
        at = box.y(threshold)
        parts.append(element("line", x1=box.x.start, x2=box.x.end, y1=at, y2=at, class_="reference"))
    holds = curves.source == "evaluation"  # a value holds until the next one
    for one in curves.variants:
        parts += _band(box, curves.step, one.low, one.high, places[one.variant], holds=holds)
        drawn = stretches(curves.step, one.iqm)
        for stretch in drawn:
            points = path([(box.x(step), box.y(value)) for step, value in (_as_steps(stretch) if holds else stretch)])
            parts.append(element("path", d=points, **line(places[one.variant])))
        if holds and drawn:
            parts.append(_dot(box, *drawn[-1][-1], place=places[one.variant]))
    return picture(*parts, width=width, height=320, label=f"Learning curves of {len(curves.variants)} variants")


def draw_profiles(profiles: Profiles, places: Places, what: str, width: float = WIDE) -> Element:
    """Draw the profiles. ``what`` is the label of the score axis."""
    if not profiles.value:
        return element("p", "There are no scores for a profile.")
    box = frame((profiles.value[0], profiles.value[-1]), (0.0, 1.0), width)
    parts = box.drawn(what, "share of seeds above it")
    for one in profiles.variants:
        parts += _band(box, profiles.value, one.low, one.high, places[one.variant], holds=True)
        steps = _as_steps(list(zip(profiles.value, one.share, strict=True)))
        points = path([(box.x(value), box.y(share)) for value, share in steps])
        parts.append(element("path", d=points, **line(places[one.variant])))
    return picture(*parts, width=width, height=320, label=f"Performance profiles of {len(profiles.variants)} variants")


def draw_thresholds(thresholds: Thresholds, places: Places, width: float = WIDE) -> Element:
    """Draw the share of seeds that reached the threshold, as steps with a band; a cross marks a seed whose training
    ended before."""
    last = max((seed.steps for one in thresholds.variants for seed in one.seeds), default=1.0)
    box = frame((0.0, last), (0.0, 1.0), width)
    goal = "their threshold" if thresholds.threshold is None else decimal(thresholds.threshold)
    parts = box.drawn("environment steps", f"share of seeds that have reached {goal}")
    for one in thresholds.variants:
        end = max(seed.steps for seed in one.seeds)
        parts += _arrival_band(box, one, end, places[one.variant])
        arrived = [(0.0, 0.0), *((step, 1 - waiting) for step, waiting in zip(one.step, one.waiting, strict=True))]
        points = [(box.x(step), box.y(share)) for step, share in _as_steps([*arrived, (end, arrived[-1][1])])]
        parts.append(element("path", d=path(points), **line(places[one.variant])))
        for seed in one.seeds:
            if seed.censored:
                share = next(share for step, share in reversed(arrived) if step <= seed.steps)
                parts.append(_cross(box, seed.steps, share, seed.seed, places[one.variant]))
    return picture(*parts, width=width, height=320, label=f"Steps to threshold of {len(thresholds.variants)} variants")


def _arrival_band(box: Frame, one: StepsToThreshold, end: float, place: int) -> list[Element]:
    """Return the band from the first arrival to the ``end`` of the longest training."""
    if not one.step:
        return []
    low, high = ([None if share is None else 1 - share for share in column] for column in (one.high, one.low))
    return _band(box, [*one.step, end], [*low, low[-1]], [*high, high[-1]], place, holds=True)


def _cross(box: Frame, step: float, share: float, seed: int, place: int) -> Element:
    x, y = box.x(step), box.y(share)
    shape = f"M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8"
    label = f"seed {seed} was trained for {brief_number(step)} steps and did not reach it"
    return titled(element("path", d=shape, class_=f"line s{place % SERIES + 1}"), label)


def _dot(box: Frame, step: float, value: float, *, place: int) -> Element:
    """Return a dot for the last step, which has no length."""
    return element("circle", cx=box.x(step), cy=box.y(value), r=3.5, class_=f"point s{place % SERIES + 1}")


def _as_steps(stretch: Sequence[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Return the points as steps: each row is repeated where the next one starts."""
    return [*stretch[:1], *(row for old, new in pairwise(stretch) for row in ((new[0], *old[1:]), new))]


def _band(
    box: Frame,
    x: Sequence[float],
    low: Sequence[float | None],
    high: Sequence[float | None],
    place: int,
    *,
    holds: bool = False,
) -> list[Element]:
    """Return a band. ``holds``: whether a value holds until the next one."""
    found = []
    for known in stretches(x, low, high):
        stretch = _as_steps(known) if holds else known
        if len(stretch) > 1:
            there = [(box.x(at), box.y(top)) for at, _, top in stretch]
            back = [(box.x(at), box.y(bottom)) for at, bottom, _ in reversed(stretch)]
            found.append(element("path", d=path(there + back) + "Z", class_=f"band s{place % SERIES + 1}"))
    return found


def _spread(known: Sequence[float]) -> tuple[float, float]:
    low, high = min(known), max(known)
    margin = (high - low or max(abs(high), 1.0)) * 0.05
    return low - margin, high + margin


def _short(label: str) -> str:
    return label if len(label) <= 26 else f"{label[:25]}…"


NOTHING = "–"
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
    "−": "$-$",
}
METHOD_HEAD = ["method", "scores", "IQM", "95 % interval", "median", "quartiles", "mean", "optimality gap"]
_MARKDOWN = "\\`*_{}[]<>|#&~!$"


def head(results: ExperimentResults) -> list[str]:
    columns = ["variant", *([] if results.across is None else ["environment"]), "seeds"]
    columns += ["IQM", "95 % interval", "median", "quartiles", "mean", "std"]
    if _has_thresholds(results):
        columns += ["optimality gap", "reached", "steps to threshold"]
    return columns


def rows(results: ExperimentResults) -> list[list[str]]:
    """Return the cells of each variant in the order of ``head``, best first; those without scores come last."""
    thresholds = {one.variant: one for one in (results.thresholds.variants if results.thresholds else ())}
    with_thresholds = _has_thresholds(results)
    found = []
    for one in best_first(results.variants, lambda one: one.rank):
        cells = [one.label, *([] if results.across is None else [one.environment]), str(one.n)]
        cells += [_cell(one.iqm), _interval(one), _cell(one.median), _quartiles(one), _cell(one.mean), _cell(one.std)]
        if with_thresholds:
            steps = thresholds.get(one.variant)
            cells += [
                _cell(one.optimality_gap),
                f"{steps.reached} of {steps.n}" if steps else NOTHING,
                NOTHING if steps is None or steps.median is None else brief_number(steps.median),
            ]
        found.append(cells)
    return found


def method_rows(across: Across) -> list[list[str]]:
    """Return the cells of each method in the order of ``METHOD_HEAD``, best first."""
    return [
        [
            *(one.label, str(one.n), _cell(one.iqm), _interval(one), _cell(one.median), _quartiles(one)),
            *(_cell(one.mean), _cell(one.optimality_gap)),
        ]
        for one in best_first(across.methods, lambda one: one.rank)
    ]


def markdown(results: ExperimentResults) -> str:
    lines = []
    if results.across is not None and results.across.methods:
        lines = [*_markdown_table(METHOD_HEAD, method_rows(results.across)), ""]
        lines += [_plain(describe_normalisation(results.across.environments)), ""]
    lines += _markdown_table(head(results), rows(results))
    return "\n".join([*lines, "", f"{_plain(caption(results))}", ""])


def latex(results: ExperimentResults) -> str:
    """Return the table as LaTeX, which needs the package booktabs."""
    text = caption(results)
    lines = [r"\begin{table}", r"  \centering"]
    if results.across is not None and results.across.methods:
        lines += [*_tabular(METHOD_HEAD, method_rows(results.across)), r"  \par\medskip"]
        text = f"{describe_normalisation(results.across.environments)} {text}"
    lines += [*_tabular(head(results), rows(results)), rf"  \caption{{{_tex(text)}}}", r"\end{table}"]
    return "\n".join([*lines, ""])


def _markdown_table(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> list[str]:
    lines = [_row(columns), _row(["---"] + ["---:"] * (len(columns) - 1))]
    return lines + [_row([_plain(cell) for cell in row]) for row in cells]


def _tabular(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> list[str]:
    return [
        rf"  \begin{{tabular}}{{l{'r' * (len(columns) - 1)}}}",
        r"    \toprule",
        f"    {_tex_row(columns)}",
        r"    \midrule",
        *(f"    {_tex_row(row)}" for row in cells),
        r"    \bottomrule",
        r"  \end{tabular}",
    ]


def caption(results: ExperimentResults) -> str:
    """Return what the table shows and how it was made."""
    resamples = max((one.made["iqm"].resamples or 0 for one in results.variants), default=0)
    text = f"A score is {results.score_definition}. IQM: interquartile mean over seeds"
    if resamples:
        text += f", with its 95 % percentile interval by bootstrap ({resamples:,} resamples)"
    if _has_thresholds(results):
        goal = "the threshold of each environment"
        if results.threshold is not None:
            goal = f"a return of {decimal(results.threshold)}"
        text += (
            f". Steps to threshold: Kaplan-Meier median of the steps to {goal}; "
            f"{NOTHING} where fewer than half of the seeds reached it"
        )
    return f"{text}. {results.verdict.headline}"


def _has_thresholds(results: ExperimentResults) -> bool:
    return any(one.threshold is not None for one in results.variants)


def _interval(one: VariantScores) -> str:
    return interval_text(one.low, one.high) if one.n else NOTHING


def _quartiles(one: VariantScores) -> str:
    if one.lower_quartile is None or one.upper_quartile is None:
        return NOTHING
    return f"{decimal(one.lower_quartile)} to {decimal(one.upper_quartile)}"


def _cell(value: float | None) -> str:
    return NOTHING if value is None else decimal(value)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """Escape text for Markdown."""
    words = chat_text(" ".join(text.split()))
    return "".join(f"\\{letter}" if letter in _MARKDOWN else letter for letter in words)


def _tex_row(cells: Sequence[str]) -> str:
    row = " & ".join(_tex(cell) for cell in cells)
    # After the line break, "[" would be read as an optional length and "*" as the starred form.
    return f"{'{}' if row.startswith(('[', '*')) else ''}{row} \\\\"


def _tex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in visible(" ".join(text.split())))


MOST_OPEN = 60
"""Number of rows from which on the table is collapsed."""


def each_seed(results: ExperimentResults) -> Element | None:
    """Return a table with a row per seed that has a score or steps to a threshold; None if there is none. If a seed
    never reached it, the steps are those it trained, after ``>``."""
    scores = {one.variant: {score.seed: score for score in one.scores} for one in results.variants}
    thresholds = results.thresholds.variants if results.thresholds else []
    arrivals = {one.variant: {seed.seed: seed for seed in one.seeds} for one in thresholds}
    rows = []
    for one in results.variants:
        scored, arrived = scores[one.variant], arrivals.get(one.variant, {})
        for seed in sorted({*scored, *arrived}):
            score, there = scored.get(seed), arrived.get(seed)
            cells = [one.label, *([one.environment] if results.across else []), str(seed)]
            cells += [decimal(score.score), f"{score.steps:,.0f}"] if score else [NOTHING, NOTHING]
            if thresholds:
                cells.append(f"{'> ' if there.censored else ''}{there.steps:,.0f}" if there else NOTHING)
            rows.append(cells)
    if not rows:
        return None
    head = ["variant", *(["environment"] if results.across else []), "seed", "score", "trained for"]
    caption = "The score of each seed, and the environment steps of its training"
    if thresholds:
        head.append("steps to threshold")
        caption += " and to the threshold (>: not reached)"
    found = table(head, rows, f"{caption}.")
    if len(rows) <= MOST_OPEN:
        return found
    return element("details", element("summary", f"{len(rows):,} seeds"), found)


POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Content security policy of the page: it loads nothing and runs nothing, wherever it is opened."""


@dataclass(frozen=True)
class ReportHead:
    """Head of a report. ``made_at``: date and time as text; ``specification``: of the experiment, as JSON."""

    title: str
    experiment_id: str
    made_at: str
    version: str
    specification: str


def report(head: ReportHead, results: ExperimentResults) -> str:
    """Return one HTML document with variants ordered best first. All text in it is escaped."""
    methods = results.across.methods if results.across else []
    places = {one.variant: place for group in (results.variants, methods) for place, one in enumerate(group)}
    labels = {one.variant: one.label for one in (*results.variants, *methods)}
    results = _in_order(results)
    parts = [*_opening(head, results), *_sections(results, places, labels), *_closing(head, results, labels)]
    return document(head.title, POLICY, parts)


def _in_order(results: ExperimentResults) -> ExperimentResults:
    """Return the results with the best variant first in every list."""
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
    """Draw one picture per environment, because their returns have no common scale."""
    environments = {one.variant: one.environment for one in results.variants}
    thresholds = {one.environment: one.threshold for one in results.variants}
    found = []
    for environment in dict.fromkeys(environments.values()):
        ours = results.curves.select([variant for variant, one in environments.items() if one == environment])
        if ours.variants:
            found += [element("h3", environment)] if results.across else []
            found.append(for_both(partial(draw_curves, ours, thresholds[environment], places)))
            found.append(_legend([one.variant for one in ours.variants], labels, places))
    return found


def _across(across: Across, places: Places) -> Element:
    """Return the section on methods over all environments."""
    return _section(
        f"Scores over {join_words([one.environment for one in across.environments])}",
        for_both(partial(draw_forest, across.forest, across.methods, places)),
        table(tables.METHOD_HEAD, tables.method_rows(across), describe_normalisation(across.environments)),
        *(element("p", sentence, class_="about") for sentence in across.left_out),
        *_figures_made(across.methods),
    )


def _figures_made(scored: Sequence[VariantScores]) -> list[Element]:
    """Return how figures were made; collapsed if variants differ in that, because each then needs a paragraph."""
    made = scored[0].made
    paragraphs = [
        paragraph for figure in made for paragraph in how_made({one.label: one.made[figure] for one in scored})
    ]
    if len(paragraphs) <= len(made):
        return paragraphs
    return [element("details", element("summary", "How each figure was computed"), *paragraphs)]


def _closing(head: ReportHead, results: ExperimentResults, labels: Mapping[str, str]) -> list[Element]:
    costs = [
        [labels[one.variant], f"{one.core_seconds:,.0f}", f"{one.steps:,.0f}", str(one.trials)]
        for one in results.cost.variants
    ]
    return [
        _section(
            "Cost",
            element("p", f"{results.cost.core_seconds:,.0f} core-seconds."),
            table(["variant", "core-seconds", "environment steps", "trials"], costs, "The cost of each variant."),
            *how_made({"": results.cost.made}),
        ),
        _section(
            "Specification",
            element("details", element("summary", "As JSON"), element("pre", head.specification)),
            element("p", f"Made by RL Gym Visualizer {head.version}.", class_="about"),
        ),
    ]


def how_made(made: Mapping[str, Made]) -> list[Element]:
    """Return how figures were made; those with the same definition share a paragraph, the others have their names."""
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
    """Return a note about what is not shown."""
    if not variants:
        return []
    named = ", ".join(labels[variant] for variant in variants[:10])
    more = f" and {len(variants) - 10} more" if len(variants) > 10 else ""
    return [element("p", f"Not shown, of lower rank: {named}{more}.", class_="about")]


def _matrix(found: Improvements, labels: Mapping[str, str]) -> Element:
    """Return the matrix of probabilities that a seed of the row does better than one of the column, with intervals."""
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
            text = f"{value:.2f} {share_interval_text(low, high)}"
            row.append(element("span", text, title=f"{labels[ours]} against {labels[theirs]}"))
        cells.append(row)
    return table(
        ["", *(labels[variant] for variant in found.variants)],
        cells,
        "How probably a seed of the row does better than a seed of the column, with its 95 % interval.",
    )


def _turned(low: float | None, high: float | None) -> tuple[float | None, float | None]:
    """Return the interval for the opposite direction."""
    return (None, None) if low is None or high is None else (1 - high, 1 - low)
