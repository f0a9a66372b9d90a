"""Draws the learning curve of a preset as a small picture."""

from __future__ import annotations

import numpy as np

from rlviz.domain.presets import MeasuredCurve
from rlviz.stats.arrays import Floats

WIDTH, HEIGHT = 360, 160
LEFT, RIGHT, TOP, BOTTOM = 48, 10, 10, 22
INK, BLUE = "#808080", "#3b82f6"
"""Readable on white and on black, because the picture cannot know its background."""


def draw(curve: MeasuredCurve, threshold: float | None) -> str:
    """Return the picture as SVG."""
    steps, middle = np.array(curve.step), np.array(curve.middle)
    lower, upper = (
        np.where(np.isfinite(end), end, middle)
        for end in (np.array(ends, dtype=np.float64) for ends in (curve.low, curve.high))
    )
    last = round(steps[-1])
    marks = [*lower, *upper, *([] if threshold is None else [threshold])]
    low, high = float(min(marks)), float(max(marks))
    span = (high - low) or 1.0

    def x(step: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * step / (last or 1)

    def y(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / span

    def line(values: Floats) -> str:
        return " ".join(f"{x(step):.1f},{y(value):.1f}" for step, value in zip(steps, values, strict=True))

    band = f"{line(lower)} " + " ".join(reversed(line(upper).split(" ")))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'font-family="sans-serif" font-size="10" fill="{INK}">',
        f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" fill="none" stroke="{INK}"/>',
        f'<polygon points="{band}" fill="{BLUE}" opacity="0.25"/>',
        f'<polyline points="{line(middle)}" fill="none" stroke="{BLUE}" stroke-width="1.5"/>',
        _text(LEFT - 4, y(high) + 4, f"{high:.4g}", "end"),
        _text(LEFT - 4, y(low), f"{low:.4g}", "end"),
        _text(LEFT, HEIGHT - 8, "0"),
        _text(WIDTH - RIGHT, HEIGHT - 8, f"{last:,} steps", "end"),
    ]
    if threshold is not None:
        parts.append(f'<path d="M{LEFT} {y(threshold):.1f}H{WIDTH - RIGHT}" stroke="{INK}" stroke-dasharray="4 3"/>')
    return "\n".join([*parts, "</svg>", ""])


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'
