"""``make soak``: the tests of faults many times over, then load; every figure into docs/reliability.md.

python -m benchmarks.soak [--load-only]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import load

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- figures -->", "<!-- /figures -->"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--load-only", action="store_true", help="leave the faults out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        path = Path(root) / "figures.jsonl"
        path.touch()
        status = 0 if options.load_only else _faults(path)
        figures = [json.loads(line) for line in path.read_text().splitlines()]
    figures += load.run()
    rows = table(figures)
    print("\n".join(rows))
    content = DOCUMENT.read_text()
    within = f"{BEGIN}\n\n{_machine()}\n\n" + "\n".join(rows) + f"\n\n{END}"
    DOCUMENT.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: within, content, flags=re.DOTALL))
    return status


def table(figures: list[dict[str, Any]]) -> list[str]:
    """A Markdown table: each promise with its median, its worst and how often it was measured."""
    measured: dict[str, list[dict[str, Any]]] = {}
    for figure in figures:
        measured.setdefault(figure["what"], []).append(figure)
    rows = ["| what | times | median | worst | promised |", "| --- | --- | --- | --- | --- |"]
    for what, found in measured.items():
        values, unit, at_most = [one["value"] for one in found], found[0]["unit"], found[0]["at_most"]
        cells = [what, str(len(values)), _said(statistics.median(values), unit), _said(max(values), unit)]
        rows.append(f"| {' | '.join(cells)} | {'–' if at_most is None else f'≤ {_said(at_most, unit)}'} |")
    return rows


def _said(value: float, unit: str) -> str:
    return f"{value:.3g} {unit}".strip()


def _machine() -> str:
    return f"Measured on {os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}."


def _faults(figures: Path) -> int:
    environment = {**os.environ, "RLVIZ_SOAK": "1", "RLVIZ_SOAK_FIGURES": str(figures)}
    command = [sys.executable, "-m", "pytest", "tests/faults", "-q", "--timeout", "14400"]
    return subprocess.run(command, env=environment, cwd=ROOT / "backend", check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
