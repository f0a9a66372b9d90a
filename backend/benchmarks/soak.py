"""``make soak``: repeats the tests of faults many times, then measures load.

Writes the figures to docs/reliability.md, and the interrupted and resumed runs to docs/resume.md.

python -m benchmarks.soak [workers] [service] [power] [ends] [resume] [pausing] [rollback] [forking] [snapshots] [rules]
    [notifications] [limits] [resources] [disk] [sessions] [records] [experiments] [hostile] [openapi] [load]
    [--share 0.1] [--only NAME]
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
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from benchmarks import load, resume_matrix

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "reliability.md"
FIGURES, PARTS = "figures", "parts"
"""Blocks of the document that this module writes, between comments of that name."""

HEAD = ["| what | times | median | worst | promised |", "| --- | --- | --- | --- | --- |"]
PARTS_HEAD = ["| part | tests | failed | repeated, as a share of the full number |", "| --- | --- | --- | --- |"]

FAULTS = {
    "workers": ("test_kills.py", "-k", "worker_ended"),
    "service": ("test_kills.py", "-k", "service_killed"),
    "power": ("test_kills.py", "-k", "power_cut"),
    "ends": ("test_shutdown.py",),
    "resume": ("test_resume.py",),
    "pausing": ("test_pausing.py",),
    "rollback": ("test_killed_rollbacks.py",),
    "forking": ("test_forking.py", "test_retraining.py"),
    "snapshots": ("test_snapshot_files.py", "test_taking_snapshots.py"),
    "rules": ("test_rules.py",),
    "notifications": ("test_notifications.py",),
    "limits": ("test_limits.py",),
    "resources": ("test_resources.py",),
    "disk": ("test_full_disk.py",),
    "sessions": (
        "test_sessions.py",
        "test_session_viewers.py",
        "test_session_sockets.py",
    ),
    "records": ("test_records.py",),
    "experiments": ("test_experiments.py", "-k", "killed"),
    "hostile": ("test_untrusted_input.py",),
    "openapi": ("test_openapi.py",),
}
"""Arguments of pytest for each part."""

LOAD = "load"

KEEP_SECONDS = 5.0
"""Time between two updates of the document while tests run, which may take hours."""


def main() -> int:
    """Run the parts. Figures are written when a part has ended, interrupted runs soon after they happen.

    Figures of other parts stay in the documents.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    names = [*FAULTS, LOAD]
    parser.add_argument("parts", nargs="*", choices=[[], *names], metavar="part", help=f"{', '.join(names)}; or all")
    parser.add_argument("--share", type=float, default=1.0, help="share of the repetitions of each fault; 1 by default")
    parser.add_argument("--only", default="", help="only tests that match this expression, as with pytest's -k")
    options = parser.parse_args()
    if not options.parts:
        write(FIGURES, [])
        write(PARTS, [])
    failed = [part for part in options.parts or names if not _measure(part, options.share, options.only)]
    print(f"Failed: {', '.join(failed)}" if failed else "All held.")
    return 1 if failed else 0


def _measure(part: str, share: float, only: str) -> bool:
    """Run a part, write its figures, and return whether all tests passed."""
    print(f"\n{part}", flush=True)
    begin = time.monotonic()
    figures, tests = (_loaded(), None) if part == LOAD else _break(part, share, only)
    held = tests is None or tests.held
    cuts, figures = _cuts(figures), [one for one in figures if "cuts" not in one]
    held = held and all(one["same"] for one in cuts)
    held = held and all(one["at_most"] is None or one["value"] <= one["at_most"] for one in figures)
    found = table(figures)
    write(FIGURES, _renewed(FIGURES, found))
    if tests is not None and not only:
        write(PARTS, _renewed(PARTS, [f"| {part} | {tests.ran} | {tests.failed} | {share:g} |"]))
    print("\n".join([*HEAD, *found]))
    print(f"({time.monotonic() - begin:.0f} s)", flush=True)
    return held


def _loaded() -> list[dict[str, Any]]:
    return [*load.measure(), *load.measure(at_once=True)]


@dataclass(frozen=True)
class Tests:
    """The number of tests of a part that ran (without skipped ones) and that failed."""

    ran: int
    failed: int
    held: bool

    @classmethod
    def read(cls, report: Path, *, held: bool) -> Tests:
        """Read pytest's JUnit XML report."""
        suites = list(ElementTree.parse(report).getroot().iter("testsuite"))

        def count(name: str) -> int:
            return sum(int(suite.get(name, 0)) for suite in suites)

        return cls(count("tests") - count("skipped"), count("failures") + count("errors"), held)


def _break(part: str, share: float, only: str) -> tuple[list[dict[str, Any]], Tests]:
    told = FAULTS[part]
    files = [f"tests/exhaustive/faults/{file}" for file in told if file.endswith(".py")]
    selection = [one for one in told if not one.endswith(".py")]
    if only:  # pytest uses the last -k
        selection += ["-k", only if "-k" not in selection else f"({selection[-1]}) and ({only})"]
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as figures, tempfile.TemporaryDirectory() as reports:
        report = Path(reports) / "tests.xml"
        environment = {**os.environ, "RLVIZ_SOAK": str(share), "RLVIZ_SOAK_FIGURES": figures.name}
        # Figures are printed at once, although pytest captures output.
        command = [sys.executable, "-m", "pytest", *files, *selection, "-v", "--capture=sys"]
        found: list[dict[str, Any]] = []
        command += ["--timeout", "14400", "-o", "faulthandler_timeout=0", f"--junit-xml={report}"]
        with subprocess.Popen(command, env=environment, cwd=ROOT / "backend") as tests:
            ended = False
            while not ended:
                with suppress(subprocess.TimeoutExpired):
                    ended = tests.wait(KEEP_SECONDS) is not None
                found += [json.loads(line) for line in figures]
                resume_matrix.write(_cuts(found))
        return found, Tests.read(report, held=tests.returncode == 0)


def _cuts(figures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in figures if "cuts" in one]


def table(figures: list[dict[str, Any]]) -> list[str]:
    """Return a row of Markdown for each promise: the number of measurements, their median and the worst."""
    measured: dict[str, list[dict[str, Any]]] = {}
    for figure in figures:
        measured.setdefault(figure["what"], []).append(figure)
    rows = []
    for what, found in measured.items():
        values, unit, at_most = [one["value"] for one in found], found[0]["unit"], found[0]["at_most"]
        cells = [what, str(len(values)), _said(statistics.median(values), unit), _said(max(values), unit)]
        rows.append(f"| {' | '.join(cells)} | {'–' if at_most is None else f'≤ {_said(at_most, unit)}'} |")
    return rows


def write(block: str, rows: list[str]) -> None:
    """Replace the rows of a block in the document by ``rows``."""
    begin, end = _comments(block)
    head = [_machine(), "", *HEAD] if block == FIGURES else PARTS_HEAD
    content = "\n".join([*head, *rows] if rows else ["Not measured yet."])
    within = f"{begin}\n\n{content}\n\n{end}"
    DOCUMENT.write_text(re.sub(f"{begin}.*{end}", lambda _: within, DOCUMENT.read_text(), flags=re.DOTALL))


def _renewed(block: str, found: list[str]) -> list[str]:
    """Return the rows of a block, with rows of the same name replaced by those in ``found``."""
    begin, end = _comments(block)
    lines = DOCUMENT.read_text().split(begin)[1].split(end)[0].splitlines()
    kept = [line for line in lines if line.startswith("|") and line not in (*HEAD, *PARTS_HEAD)]
    return [*{**dict(map(_named, kept)), **dict(map(_named, found))}.values()]


def _comments(block: str) -> tuple[str, str]:
    return f"<!-- {block} -->", f"<!-- /{block} -->"


def _named(row: str) -> tuple[str, str]:
    return row.split(" | ")[0], row


def _said(value: float, unit: str) -> str:
    return f"{value:.3g} {unit}".strip()


def _machine() -> str:
    return f"Measured on {os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}."


if __name__ == "__main__":
    sys.exit(main())
