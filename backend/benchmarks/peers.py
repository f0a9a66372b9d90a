"""Other tools beside this product, on the same rows, each in a process of its own.

They are installed when this is run for the first time, into an environment of their own (``.make/peers``), pinned. One
that cannot be installed or fails is said to have, and the others go on. What a tool draws in a browser is not measured
here, only until its own reader has it: see the parts ``live`` and ``long`` for the pixels of this product.

    python -m benchmarks peers
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.support import Figure, figure, scratch
from rlviz.rundir.folder import RunFolder
from rlviz.sealer import seal
from rlviz.services.supervision.sealing import LEAST_BYTES, sealed_metrics

ROWS = 100_000
TIMEOUT_SECONDS = 600
ENVIRONMENT = Path(__file__).parents[2] / ".make" / "peers"
PEER = Path(__file__).with_name("peer.py")
PINNED = {
    "tensorboard": ["tensorboard==2.21.0"],
    "trackio": ["trackio==0.43.0"],
    "rlens": ["--no-deps", "rlens==0.2.0", "numpy==2.4.6"],
}
"""Of rlens what logs and reads, without the trainer and its torch."""


def run(rows: int = ROWS) -> Iterator[Figure]:
    with scratch() as root:
        yield from _measured("rlviz", Path(sys.executable), root, rows)
        for name, packages in PINNED.items():
            python = ENVIRONMENT / name / "bin" / "python"
            try:
                install(python, packages)
                yield from _measured(name, python, root, rows)
            except (subprocess.SubprocessError, OSError) as error:
                yield Figure(f"{name}: not measured", reason(error))


def _measured(name: str, python: Path, root: Path, rows: int) -> Iterator[Figure]:
    def work(job: str, folder: Path) -> dict[str, float]:
        command = [str(python), str(PEER), job, name, str(folder), str(rows)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, cwd=root)
        found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
        return found

    folder = root / name
    folder.mkdir()
    logged = work("log", folder)
    if name == "rlviz":  # as the service does when a run has ended
        seal(sealed_metrics(RunFolder.at(folder)), LEAST_BYTES)
    read = work("read", folder)
    waiting = root / f"{name}-latency"
    waiting.mkdir()
    label = f"{name}, {rows:,} rows of 3 numbers"
    yield figure(f"{label}: cost of logging a row", logged["seconds"] / rows * 1e6, "µs")
    yield figure(f"{label}: cost of a row until it is written", logged["until_written"] / rows * 1e6, "µs")
    yield figure(f"{label}: on disk", sum(_sizes(folder)) / 1e6, "MB")
    yield figure(f"{label}: one metric read cold", read["seconds"] * 1e3, "ms")
    yield figure(f"{label}: peak memory of the reader", read["memory"], "MB")
    yield figure(f"{label}: rows missing", read["missing"], "")
    yield figure(
        f"{name}: logged to seen by its reader (10 s: given up)", work("latency", waiting)["seconds"] * 1e3, "ms"
    )


def install(python: Path, packages: list[str]) -> None:
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(python.parents[1])], check=True, capture_output=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    subprocess.run(install, check=True, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)


def _sizes(folder: Path) -> Iterator[int]:
    return (path.stat().st_size for path in folder.rglob("*") if path.is_file())


def reason(error: Exception) -> str:
    """The last thing that was said."""
    said = getattr(error, "stderr", None) or str(error)
    return (said if isinstance(said, str) else said.decode(errors="replace")).strip().splitlines()[-1][:100]
