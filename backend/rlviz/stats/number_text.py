"""Formats numbers as text, the same as the front end."""

from __future__ import annotations

from math import floor, log10

NO_INTERVAL = "one seed: no interval"
"""Shown instead of an interval if only one seed has a value."""


def decimal(value: float) -> str:
    """Return a return or loss with enough digits to distinguish neighbouring values: 480.0, 1,234, 0.0213."""
    size = abs(value)
    if size == 0:
        return "0"
    if size < 1e-3 or size >= 1e6:
        return f"{value:.2e}"
    return f"{value:,.{0 if size >= 1000 else 1 if size >= 10 else 2 if size >= 1 else 4}f}"


def brief_number(value: float, digits: int = 3) -> str:
    """Return a number with three (or ``digits``) significant digits: 940, 73.9k, 1.25M."""
    rounded = float(f"{value:.{digits}g}")
    for size, unit in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{rounded / size:.10g}{unit}"
    return f"{rounded:.10g}"


def brief_by(value: float, step: float) -> str:
    """Like ``brief_number``, with enough digits for steps of ``step``: -1.18k in steps of 10, -1,178 in steps of 2."""
    digits = floor(log10(abs(value))) - floor(log10(step)) + 1 if value and step > 0 else 0
    if digits <= 3:
        return brief_number(value)
    return f"{value:,.{digits}g}" if abs(value) < 1e6 else brief_number(value, digits)


def percent(progress: float) -> str:
    """Return progress in whole percent, rounded down, so that 100% means done."""
    return f"{floor(progress * 100 + 1e-9)}%"


def share_text(share: float) -> str:
    """Return a share in whole percent, rounded half up, as in the browser."""
    return f"{floor(share * 100 + 0.5)}%"


def duration(seconds: float) -> str:
    """Return seconds as text: 12.3 s, 1m 05s, 2h 07m."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = int(seconds)
    if whole < 3_600:
        return f"{whole // 60}m {whole % 60:02d}s"
    return f"{whole // 3_600}h {whole % 3_600 // 60:02d}m"


def interval_text(low: float | None, high: float | None) -> str:
    """Return an interval of scores: “[92.0, 97.5]”, or “one seed: no interval”."""
    return NO_INTERVAL if low is None or high is None else f"[{decimal(low)}, {decimal(high)}]"


def share_interval_text(low: float | None, high: float | None) -> str:
    """Return an interval of probabilities with two digits: “[0.60, 1.00]”, or like ``interval_text`` without one."""
    return NO_INTERVAL if low is None or high is None else f"[{low:.2f}, {high:.2f}]"


def join_words(words: list[str]) -> str:
    """Return a list in words: “A”, “A and B”, “A, B and C”."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
