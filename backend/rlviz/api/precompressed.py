"""Files that the build has compressed: selects brotli, gzip or the file itself."""

from __future__ import annotations

import re
from pathlib import Path

ENCODINGS = {"br": ".br", "gzip": ".gz"}
"""Content codings and their file extensions, smallest first."""

_CODING = re.compile(r"\s*([\w*.-]+)\s*(?:;\s*q\s*=\s*([0-9.]+)\s*)?")


def variants_of(path: Path) -> dict[str, Path]:
    """The compressed variants of ``path``."""
    named = {coding: path.with_name(path.name + ending) for coding, ending in ENCODINGS.items()}
    return {coding: variant for coding, variant in named.items() if variant.is_file()}


def chosen_coding(accepted: str, offered: dict[str, Path]) -> str | None:
    """The best coding of ``offered`` by the Accept-Encoding header (RFC 9110, section 12.5.3); None: uncompressed."""
    weights = dict(_weights(accepted))
    wildcard = weights.get("*", 0.0)
    willing = {coding: weights.get(coding, wildcard) for coding in offered}
    best = max(willing.values(), default=0.0)
    return next((coding for coding, weight in willing.items() if weight == best > 0.0), None)


def _weights(accepted: str) -> list[tuple[str, float]]:
    found = []
    for part in accepted.lower().split(","):
        if match := _CODING.fullmatch(part):
            try:
                found.append((match[1], float(match[2] or 1.0)))
            except ValueError:
                continue
    return found
