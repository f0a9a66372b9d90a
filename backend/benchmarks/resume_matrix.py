"""The table of docs/resume.md that says how often each algorithm was cut on each environment, and how often it went on
otherwise than without a cut. ``make soak`` writes it; cells that were not measured this time stay as they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rlviz.algorithms import ALGORITHMS
from rlviz.environments import ENVIRONMENTS

DOCUMENT = Path(__file__).parents[2] / "docs" / "resume.md"
BEGIN, END = "<!-- cuts -->", "<!-- /cuts -->"
UNFIT, UNMEASURED = "", "·"

Cell = tuple[str, str]
"""Algorithm and environment."""


def write(cuts: Sequence[Mapping[str, Any]]) -> None:
    """``cuts``: what the tests tell of each cut, once about its rows and once about the state at the end."""
    if cuts:
        document = DOCUMENT.read_text()
        cells = {**_cells(document), **_counted(cuts)}
        within = "\n".join([BEGIN, "", *_table(cells), "", END])
        DOCUMENT.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: within, document, flags=re.DOTALL))


def _counted(cuts: Iterable[Mapping[str, Any]]) -> dict[Cell, str]:
    """A cut is counted once for its rows; it differs if anything did."""
    made, differing = Counter[Cell](), Counter[tuple[Cell, str]]()
    for one in cuts:
        cell = (one["algo"], one["env_id"])
        made[cell] += one["cut"] == "rows"
        differing[cell, one["cut"]] += not one["same"]
    found = {}
    for cell, count in made.items():
        differ = max(differing[cell, "rows"], differing[cell, "state"])
        found[cell] = f"**{differ} of {count} differ**" if differ else str(count)
    return found


def _table(cells: Mapping[Cell, str]) -> list[str]:
    """With the environments that any cell is of besides those of the registry: custom ones."""
    algorithms = ALGORITHMS.names()
    environments = list(dict.fromkeys([*ENVIRONMENTS.names(), *(env_id for _, env_id in cells)]))
    rows = [
        [env_id, *(cells.get((algo, env_id), _blank(algo, env_id)) for algo in algorithms)] for env_id in environments
    ]
    head = ["environment", *(ALGORITHMS.get(algo).name for algo in algorithms)]
    return [_row(head), _row(["---"] * len(head)), *map(_row, rows)]


def _blank(algo: str, env_id: str) -> str:
    fits = env_id in ENVIRONMENTS.names() and ENVIRONMENTS.get(env_id).suits(ALGORITHMS.get(algo))
    return UNMEASURED if fits else UNFIT


def _cells(document: str) -> dict[Cell, str]:
    """Those that were measured before."""
    lines = [line for line in document.split(BEGIN)[1].split(END)[0].splitlines() if line.startswith("|")]
    found = {}
    for line in lines[2:]:
        env_id, *values = [part.strip() for part in line.strip("|").split("|")]
        for algo, value in zip(ALGORITHMS.names(), values, strict=False):
            if value not in (UNFIT, UNMEASURED):
                found[algo, env_id] = value
    return found


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
