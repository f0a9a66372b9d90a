"""The drawings of a report. Each decides nothing but places: what is shown, the results say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from xml.etree.ElementTree import Element

from rlviz.analysis.experiments.curves import Curves
from rlviz.analysis.experiments.profiles import Profiles
from rlviz.analysis.experiments.report.axes import NARROW, WIDE, Frame, Scale, frame, path, picture, stretches
from rlviz.analysis.experiments.report.elements import element, titled
from rlviz.analysis.experiments.scores import Forest, VariantScores
from rlviz.analysis.experiments.threshold import StepsToThreshold, Thresholds
from rlviz.analysis.numbers import brief, decimal, ends

SERIES = 10
DASHES = ("", "7 4", "2 3", "10 3 2 3")
"""Beside the colour, so that neither is needed to tell two lines apart."""

ROW, NARROW_ROW = 34, 50
NAME, NUMBER = 190.0, 150.0

Places = Mapping[str, int]
"""The place of each variant in the specification, which gives it its colour everywhere."""


def style(place: int) -> dict[str, str]:
    return {"class_": f"s{place % SERIES + 1}", "stroke_dasharray": DASHES[place // SERIES % len(DASHES)] or "none"}


def legend(labels: Mapping[str, str], places: Places) -> Element:
    """``labels``: by variant, in the order in which they are drawn."""
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
    """Every second variant has its line broken."""
    look = style(place)
    return {**look, "class_": f"line {look['class_']}", "stroke_dasharray": DASHES[place % len(DASHES)] or "none"}


def draw_forest(forest: Forest, variants: Sequence[VariantScores], places: Places, width: float = WIDE) -> Element:
    """A row for each variant: its seeds as small dots, the interquartile mean as a square, the interval as a line. Name
    and number stand beside them, or above them in a narrow picture."""
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
        label = f"{decimal(row.iqm)} {ends(row.low, row.high)}"
        if row.low is not None and row.high is not None:
            parts.append(element("line", x1=x(row.low), x2=x(row.high), y1=y, y2=y, class_=f"interval {look}"))
        parts.append(
            titled(element("rect", x=x(row.iqm) - 5, y=y - 5, width=10, height=10, class_=f"point {look}"), label)
        )
        shown = decimal(row.iqm) if row.low is None else label  # its words would not fit beside the picture
        place = _placed(width - (NUMBER - 10 if beside else 4), end=not beside)
        parts.append(element("text", shown, y=words, class_="number", **place))
    return picture(*parts, width=width, height=height, label=f"Forest plot of {len(forest.rows)} variants")


def _placed(x: float, *, end: bool) -> dict[str, object]:
    """Text that begins or ends at ``x``."""
    return {"x": x, "text_anchor": "end" if end else "start"}


def draw_curves(curves: Curves, threshold: float | None, places: Places, width: float = WIDE) -> Element:
    ends = [value for one in curves.variants for column in (one.iqm, one.low, one.high) for value in column]
    known = [value for value in ends if value is not None] + ([] if threshold is None else [threshold])
    if not known or not curves.step:
        return element("p", "Nothing was logged that a curve could be drawn of.")
    box = frame((0.0, curves.step[-1]), _spread(known), width)
    what = "return of the greedy policy" if curves.source == "evaluation" else "return in training"
    parts = box.drawn("environment steps", what)
    if threshold is not None:
        at = box.y(threshold)
        parts.append(element("line", x1=box.x.start, x2=box.x.end, y1=at, y2=at, class_="reference"))
    holds = curves.source == "evaluation"  # a value until the next one
    for one in curves.variants:
        parts += _band(box, curves.step, one.low, one.high, places[one.variant], holds=holds)
        drawn = stretches(curves.step, one.iqm)
        for stretch in drawn:
            points = path([(box.x(step), box.y(value)) for step, value in (_held(stretch) if holds else stretch)])
            parts.append(element("path", d=points, **line(places[one.variant])))
        if holds and drawn:
            parts.append(_dot(box, *drawn[-1][-1], place=places[one.variant]))
    return picture(*parts, width=width, height=320, label=f"Learning curves of {len(curves.variants)} variants")


def draw_profiles(profiles: Profiles, places: Places, what: str, width: float = WIDE) -> Element:
    """``what``: what the scores are, as the axis says it."""
    if not profiles.value:
        return element("p", "There are no scores to draw a profile of.")
    box = frame((profiles.value[0], profiles.value[-1]), (0.0, 1.0), width)
    parts = box.drawn(what, "share of seeds above it")
    for one in profiles.variants:
        parts += _band(box, profiles.value, one.low, one.high, places[one.variant], holds=True)
        steps = _held(list(zip(profiles.value, one.share, strict=True)))
        points = path([(box.x(value), box.y(share)) for value, share in steps])
        parts.append(element("path", d=points, **line(places[one.variant])))
    return picture(*parts, width=width, height=320, label=f"Performance profiles of {len(profiles.variants)} variants")


def draw_thresholds(thresholds: Thresholds, places: Places, width: float = WIDE) -> Element:
    """Shares that have got there, as steps, with their band; a seed that was not trained any further is a cross on its
    line."""
    last = max((seed.steps for one in thresholds.variants for seed in one.seeds), default=1.0)
    box = frame((0.0, last), (0.0, 1.0), width)
    goal = "their threshold" if thresholds.threshold is None else decimal(thresholds.threshold)
    parts = box.drawn("environment steps", f"share of seeds that have reached {goal}")
    for one in thresholds.variants:
        end = max(seed.steps for seed in one.seeds)
        parts += _arrival_band(box, one, end, places[one.variant])
        arrived = [(0.0, 0.0), *((step, 1 - waiting) for step, waiting in zip(one.step, one.waiting, strict=True))]
        points = [(box.x(step), box.y(share)) for step, share in _held([*arrived, (end, arrived[-1][1])])]
        parts.append(element("path", d=path(points), **line(places[one.variant])))
        for seed in one.seeds:
            if seed.censored:
                share = next(share for step, share in reversed(arrived) if step <= seed.steps)
                parts.append(_cross(box, seed.steps, share, seed.seed, places[one.variant]))
    return picture(*parts, width=width, height=320, label=f"Steps to threshold of {len(thresholds.variants)} variants")


def _arrival_band(box: Frame, one: StepsToThreshold, end: float, place: int) -> list[Element]:
    """From the first arrival to the ``end`` of the longest training. The estimate is of those that still wait."""
    if not one.step:
        return []
    low, high = ([None if share is None else 1 - share for share in column] for column in (one.high, one.low))
    return _band(box, [*one.step, end], [*low, low[-1]], [*high, high[-1]], place, holds=True)


def _cross(box: Frame, step: float, share: float, seed: int, place: int) -> Element:
    x, y = box.x(step), box.y(share)
    shape = f"M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8"
    label = f"seed {seed} was trained for {brief(step)} steps and has not got there"
    return titled(element("path", d=shape, class_=f"line s{place % SERIES + 1}"), label)


def _dot(box: Frame, step: float, value: float, *, place: int) -> Element:
    """The last value of steps, which has no length to be seen by."""
    return element("circle", cx=box.x(step), cy=box.y(value), r=3.5, class_=f"point s{place % SERIES + 1}")


def _held(stretch: Sequence[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """The same as steps: each row also where the next one begins."""
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
    """``holds``: whether a value holds until the next one."""
    found = []
    for known in stretches(x, low, high):
        stretch = _held(known) if holds else known
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
