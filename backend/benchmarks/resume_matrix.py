"""Writes the table of interrupted runs in docs/resume.md, by algorithm and environment.

It says how often runs were interrupted, and how often their results then differed from uninterrupted runs. ``make
soak`` writes it; cells that were not measured this time stay unchanged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments import ENVIRONMENTS

DOCUMENT = Path(__file__).parents[2] / "docs" / "resume.md"
BEGIN, END = "<!-- cuts -->", "<!-- /cuts -->"
UNFIT, UNMEASURED = "", "·"

Cell = tuple[str, str]
"""Algorithm and environment."""


def write(runs: Sequence[Mapping[str, Any]]) -> None:
    """Write the table. ``runs``: for each interrupted run, how often, and whether its results are the same."""
    if runs:
        document = DOCUMENT.read_text()
        cells = {**_cells(document), **_counted(runs)}
        within = "\n".join([BEGIN, "", *_table(cells), "", END])
        DOCUMENT.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: within, document, flags=re.DOTALL))


def _counted(runs: Iterable[Mapping[str, Any]]) -> dict[Cell, str]:
    """Count interruptions. If a run's results differ, all its interruptions count, because the cause is unknown."""
    made, differing = Counter[Cell](), Counter[Cell]()
    for run in runs:
        cell = (run["algo"], run["env_id"])
        made[cell] += run["cuts"]
        differing[cell] += 0 if run["same"] else run["cuts"]
    return {
        cell: f"**{differing[cell]} of {cuts} differ**" if differing[cell] else str(cuts) for cell, cuts in made.items()
    }


def _table(cells: Mapping[Cell, str]) -> list[str]:
    """Return the table, with the environments of the registry and custom ones that have a cell."""
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
    """Read the cells that were measured before."""
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
