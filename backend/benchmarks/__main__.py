"""``make bench``: runs all parts, or the given ones, and prints a table.

python -m benchmarks [throughput [ALGO …]] [scaling] [responsiveness] [volume] [evaluation] [records] [live] [film]
                     [snapshots] [sessions] [live_window] [anatomy] [long] [overlay] [peers] [load] [intervals]
                     [coverage] [experiment_results] [experiment_page] [scheduling] [searching] [tracking] [terminal]
                     [analytics] [ingest]
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable, Iterable
from functools import partial

from benchmarks.support import Figure
from rlviz.learning.algorithms import ALGORITHMS

PARTS = (
    "throughput",
    "scaling",
    "responsiveness",
    "volume",
    "evaluation",
    "records",
    "live",
    "film",
    "snapshots",
    "sessions",
    "live_window",
    "anatomy",
    "long",
    "overlay",
    "peers",
    "load",
    "intervals",
    "coverage",
    "experiment_results",
    "experiment_page",
    "scheduling",
    "searching",
    "tracking",
    "terminal",
    "analytics",
    "ingest",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    names = [*PARTS, *ALGORITHMS.names()]
    parser.add_argument("parts", nargs="*", choices=[[], *names], metavar="part", help=", ".join(names))
    wanted = parser.parse_args().parts
    algorithms = [name for name in wanted if name not in PARTS]
    for part in [name for name in wanted if name in PARTS] or (["throughput"] if algorithms else PARTS):
        measure = importlib.import_module(f"benchmarks.{part}").run
        _report(part, partial(measure, algorithms) if part == "throughput" else measure)


def _report(part: str, measure: Callable[[], Iterable[Figure]]) -> None:
    """Print each figure as soon as it is measured, and the time of the part."""
    begin = time.monotonic()
    print(f"\n{part}", flush=True)
    for found in measure():
        verdict = {None: "", True: "reached", False: "MISSED"}[found.met]
        print(f"  {found.what:86} {found.value:>12}  {found.reach:>7}  {verdict}".rstrip(), flush=True)
    print(f"  ({time.monotonic() - begin:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
