"""Elements of HTML and SVG. Text goes in as text and is escaped when it is written: no name can become markup."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

from rlviz.domain.plain_text import visible

Child = Element | str


def element(tag: str, *children: Child, **attributes: object) -> Element:
    """An underscore in the name of an attribute stands for a hyphen, one at its end for nothing (``class_``)."""
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
    """With what a browser shows when one points at it."""
    tooltip = SubElement(node, "title")
    tooltip.text = visible(title)
    node.remove(tooltip)
    node.insert(0, tooltip)
    return node


def table(head: Sequence[Child], rows: Sequence[Sequence[Child]], caption: str) -> Element:
    """The first cell of each row is its head. A table wider than the page scrolls; its caption does not."""
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
