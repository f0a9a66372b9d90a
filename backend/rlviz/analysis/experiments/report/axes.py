"""Axes: from numbers to places in a picture, with round ticks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from xml.etree.ElementTree import Element

from rlviz.analysis.experiments.report.elements import element
from rlviz.analysis.numbers import brief_by

WIDE, NARROW = 720.0, 360.0
"""Widths that everything is drawn in, for screens of either kind: a picture made smaller would have smaller text."""


@dataclass(frozen=True)
class Scale:
    """``low`` and ``high`` lie at ``start`` and ``end``; what lies beyond them is drawn beyond."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        span = self.high - self.low
        share = (value - self.low) / span if span else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Multiples of 1, 2 or 5 times a power of ten."""
        step = self._step(about)
        if step <= 0:
            return [self.low]
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [round(place * step, 12) for place in range(first, last + 1)]

    def marks(self, about: int = 5) -> list[tuple[float, str]]:
        """The ticks with what they say."""
        return [(value, brief_by(value, self._step(about))) for value in self.ticks(about)]

    def _step(self, about: int) -> float:
        span = self.high - self.low
        if span <= 0:
            return 0.0
        rough = span / about
        power = 10.0 ** floor(log10(rough))
        return next(size * power for size in (1, 2, 5, 10) if size * power >= rough * 0.999)


@dataclass(frozen=True)
class Frame:
    """The place that curves are drawn in, with both scales."""

    x: Scale
    y: Scale

    def drawn(self, x_label: str, y_label: str) -> list[Element]:
        left, right, top, bottom = self.x.start, self.x.end, self.y.end, self.y.start
        parts = []
        for value, text in self.y.marks():
            at = self.y(value)
            parts.append(element("line", x1=left, x2=right, y1=at, y2=at, class_="grid"))
            parts.append(element("text", text, x=left - 8, y=at + 4, text_anchor="end"))
        for value, text in self.x.marks():
            at = self.x(value)
            parts.append(element("line", x1=at, x2=at, y1=bottom, y2=bottom + 4, class_="axis"))
            parts.append(element("text", text, x=at, y=bottom + 18, text_anchor="middle"))
        parts.append(element("line", x1=left, x2=right, y1=bottom, y2=bottom, class_="axis"))
        parts.append(element("text", x_label, x=(left + right) / 2, y=bottom + 36, text_anchor="middle"))
        parts.append(element("text", y_label, x=4, y=top - 8, text_anchor="start"))
        return parts


def frame(x: tuple[float, float], y: tuple[float, float], width: float, height: float = 320) -> Frame:
    return Frame(Scale(*x, 64 if width > NARROW else 52, width - 20), Scale(*y, height - 44, 24))


def picture(*parts: Element, width: float, height: float, label: str) -> Element:
    """``label``: what is to be seen, for those who do not see it."""
    return element("svg", *parts, viewBox=f"0 0 {width:g} {height:g}", role="img", aria_label=label)


def for_both(draw: Callable[[float], Element]) -> Element:
    """What is drawn in either width; a browser shows the one that its window has room for."""
    return element(
        "div",
        *(element("div", draw(width), class_=name) for width, name in ((WIDE, "on-wide"), (NARROW, "on-narrow"))),
    )


Run = Sequence[tuple[float, float]]


def path(points: Run) -> str:
    """A line through points of the picture."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def stretches(*columns: Sequence[float | None]) -> list[list[tuple[float, ...]]]:
    """Rows of the columns in stretches without gaps: where one value is null, a stretch ends."""
    found: list[list[tuple[float, ...]]] = [[]]
    for row in zip(*columns, strict=True):
        known = tuple(value for value in row if value is not None)
        if len(known) == len(row):
            found[-1].append(known)
        elif found[-1]:
            found.append([])
    return [stretch for stretch in found if stretch]
