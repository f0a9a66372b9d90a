"""Self-contained HTML pages with SVG drawings, for reports that people open from disk.

In order: HTML and SVG elements (text is escaped when written, so names cannot become markup), tables, axes, drawing
helpers, and the whole document. ``report_page.css`` has the look that all reports share, in a light and a dark theme.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from rlviz.domain.plain_text import visible
from rlviz.stats.number_text import brief_by

Child = Element | str


def element(tag: str, *children: Child, **attributes: object) -> Element:
    """Return an element. An underscore in an attribute's name becomes a hyphen; a final one is dropped (``class_``)."""
    node = Element(tag, {name.rstrip("_").replace("_", "-"): _text(value) for name, value in attributes.items()})
    for child in children:
        if isinstance(child, Element):
            node.append(child)
        elif len(node):
            node[-1].tail = (node[-1].tail or "") + visible(child)
        else:
            node.text = (node.text or "") + visible(child)
    return node


def titled(node: Element, title: str) -> Element:
    """Add a tooltip to ``node``."""
    tooltip = SubElement(node, "title")
    tooltip.text = visible(title)
    node.remove(tooltip)
    node.insert(0, tooltip)
    return node


def table(head: Sequence[Child], rows: Sequence[Sequence[Child]], caption: str) -> Element:
    """Return a table; the first cell of each row is its header. A table wider than the page scrolls; its caption does
    not."""
    scrolled = element(
        "div",
        element(
            "table",
            element("thead", element("tr", *(element("th", cell, scope="col") for cell in head))),
            element(
                "tbody",
                *(
                    element("tr", element("th", row[0], scope="row"), *(element("td", cell) for cell in row[1:]))
                    for row in rows
                ),
            ),
        ),
        class_="wide",
        tabindex="0",
        role="region",
        aria_label=caption,
    )
    return element("figure", element("figcaption", caption), scrolled)


def _text(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else visible(str(value))


WIDE, NARROW = 720.0, 360.0
"""Widths of drawings for wide and narrow screens: scaling a picture down would make its text too small."""


@dataclass(frozen=True)
class Scale:
    """Maps values linearly: ``low`` to ``start`` and ``high`` to ``end``; values outside are extrapolated."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        span = self.high - self.low
        share = (value - self.low) / span if span else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Return tick positions: multiples of 1, 2 or 5 times a power of ten."""
        step = self._step(about)
        if step <= 0:
            return [self.low]
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [round(place * step, 12) for place in range(first, last + 1)]

    def marks(self, about: int = 5) -> list[tuple[float, str]]:
        """Return the ticks with their labels."""
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
    """The area of a plot, with both scales."""

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
    """Return a picture. ``label`` describes it for screen readers."""
    return element("svg", *parts, viewBox=f"0 0 {width:g} {height:g}", role="img", aria_label=label)


def for_both(draw: Callable[[float], Element]) -> Element:
    """Draw in both widths; the browser shows the one that fits."""
    return element(
        "div",
        *(element("div", draw(width), class_=name) for width, name in ((WIDE, "on-wide"), (NARROW, "on-narrow"))),
    )


Run = Sequence[tuple[float, float]]


def path(points: Run) -> str:
    """Return an SVG path through points of the picture."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def stretches(*columns: Sequence[float | None]) -> list[list[tuple[float, ...]]]:
    """Split the rows of the columns at gaps: a null value ends a stretch."""
    found: list[list[tuple[float, ...]]] = [[]]
    for row in zip(*columns, strict=True):
        known = tuple(value for value in row if value is not None)
        if len(known) == len(row):
            found[-1].append(known)
        elif found[-1]:
            found.append([])
    return [stretch for stretch in found if stretch]


STYLE = Path(__file__).with_name("report_page.css")


def document(title: str, policy: str, body: Sequence[Element], *, style: str = "", end: str = "") -> str:
    """Return a whole HTML document. All text in its elements is escaped.

    Args:
        title: Title of the page.
        policy: Its content security policy, which holds wherever it is opened.
        body: Elements of the body.
        style: CSS after that of all reports. Raw: it must not contain text from outside.
        end: HTML at the end of the body, such as scripts. Raw, like ``style``.
    """
    head = [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
    ]
    css = STYLE.read_text("utf-8") + style
    lines = [
        f'<!doctype html>\n<html lang="en"><head>{"".join(map(serialized, head))}<style>{css}</style></head>\n<body>',
        *map(serialized, body),
        f"{end}</body></html>\n",
    ]
    return "\n".join(lines)


def serialized(node: Element) -> str:
    """Return an element as HTML. XML output also escapes "<" in attributes; empty elements get a closing tag."""
    return tostring(node, encoding="unicode", short_empty_elements=False)
