"""Compares other tools with this program on the same rows, each in a separate process.

The first call installs pinned versions into a separate environment (``.make/peers``). A tool that cannot be installed
or fails is reported, and the others continue. The time until a tool's own reader has the rows is measured, not the
drawing in a browser; the parts ``live`` and ``long`` measure drawing for this program.

    python -m benchmarks peers
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.support import Figure, figure, scratch
from rlviz.rundir.folder import RunFolder
from rlviz.sealer import seal
from rlviz.server.supervisor.sealing import LEAST_BYTES, sealed_metrics

ROWS = 100_000
TIMEOUT_SECONDS = 600
ENVIRONMENT = Path(__file__).parents[2] / ".make" / "peers"
PEER = Path(__file__).with_name("peer.py")
PINNED = {
    "tensorboard": ["tensorboard==2.21.0"],
    "trackio": ["trackio==0.43.0"],
    "rlens": ["--no-deps", "rlens==0.2.0", "numpy==2.4.6"],
}
"""The parts of rlens that log and read, without its trainer and torch."""


OWN = "rlviz"


@dataclass(frozen=True)
class Measured:
    """A measurement ``what`` of the tool ``name``; smaller is better."""

    name: str
    what: str
    value: float
    unit: str


def run(rows: int = ROWS) -> Iterator[Figure]:
    """Yield every figure of every tool, and then for each whether this program leads."""
    found: list[Measured] = []
    for one in _all(rows):
        if isinstance(one, Measured):
            found.append(one)
            yield figure(f"{one.name}, {rows:,} rows of 3 numbers: {one.what}", one.value, one.unit)
        else:
            yield one
    yield from verdicts(found)


def verdicts(found: Sequence[Measured]) -> Iterator[Figure]:
    """Compare each figure of this program with the best of the other tools that have it."""
    own = [one for one in found if one.name == OWN]
    for ours in own:
        others = [one for one in found if one.what == ours.what and one.name != OWN]
        if not others:
            continue
        best = min(others, key=lambda one: one.value)
        leads = ours.value <= best.value
        what = f"{ours.what}: {'leads' if leads else 'behind'} ({best.name} {best.value:.3g} {best.unit})"
        yield figure(what, ours.value, ours.unit, at_most=best.value)


def _all(rows: int) -> Iterator[Measured | Figure]:
    with scratch() as root:
        yield from _measured(OWN, Path(sys.executable), root, rows)
        for name, packages in PINNED.items():
            python = ENVIRONMENT / name / "bin" / "python"
            try:
                install(python, packages)
                yield from _measured(name, python, root, rows)
            except (subprocess.SubprocessError, OSError) as error:
                yield Figure(f"{name}: not measured", reason(error))


def _measured(name: str, python: Path, root: Path, rows: int) -> Iterator[Measured]:
    def work(job: str, folder: Path) -> dict[str, float]:
        command = [str(python), str(PEER), job, name, str(folder), str(rows)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, cwd=root)
        found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
        return found

    folder = root / f"{name}-run"  # "rlviz" is not allowed as the id of a run
    folder.mkdir()
    logged = work("log", folder)
    if name == OWN:  # as the service does after a run has ended
        seal(sealed_metrics(RunFolder.at(folder)), LEAST_BYTES)
    read = work("read", folder)
    waiting = root / f"{name}-latency"
    waiting.mkdir()
    yield Measured(name, "cost of logging a row", logged["seconds"] / rows * 1e6, "µs")
    yield Measured(name, "cost of a row until it is written", logged["until_written"] / rows * 1e6, "µs")
    yield Measured(name, "on disk", sum(_sizes(folder)) / 1e6, "MB")
    yield Measured(name, "one metric read cold", read["seconds"] * 1e3, "ms")
    yield Measured(name, "peak memory of the reader", read["memory"], "MB")
    yield Measured(name, "rows missing", read["missing"], "")
    yield Measured(
        name, "logged to seen by its reader (10 s: given up)", work("latency", waiting)["seconds"] * 1e3, "ms"
    )


def install(python: Path, packages: list[str]) -> None:
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(python.parents[1])], check=True, capture_output=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    subprocess.run(install, check=True, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)


def _sizes(folder: Path) -> Iterator[int]:
    return (path.stat().st_size for path in folder.rglob("*") if path.is_file())


def reason(error: Exception) -> str:
    """Return the last line of an error's output."""
    said = getattr(error, "stderr", None) or str(error)
    return (said if isinstance(said, str) else said.decode(errors="replace")).strip().splitlines()[-1][:100]
