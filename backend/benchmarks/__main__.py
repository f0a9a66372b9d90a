"""``make bench``: every part, one table.

python -m benchmarks [throughput [ALGO …]] [scaling] [responsiveness] [volume] [evaluation] [live] [long]
"""

from __future__ import annotations

import argparse
import importlib
import time

from benchmarks.support import Figure
from rlviz.algorithms import ALGORITHMS

PARTS = ("throughput", "scaling", "responsiveness", "volume", "evaluation", "live", "long")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    names = [*PARTS, *ALGORITHMS.names()]
    parser.add_argument("parts", nargs="*", choices=[[], *names], metavar="part", help=", ".join(names))
    wanted = parser.parse_args().parts
    algorithms = [name for name in wanted if name not in PARTS]
    for part in [name for name in wanted if name in PARTS] or (["throughput"] if algorithms else PARTS):
        begin = time.monotonic()
        measure = importlib.import_module(f"benchmarks.{part}").run
        figures: list[Figure] = measure(algorithms) if part == "throughput" else measure()
        print(f"\n{part} ({time.monotonic() - begin:.0f} s)")
        for found in figures:
            verdict = {None: "", True: "reached", False: "MISSED"}[found.met]
            print(f"  {found.what:74} {found.value:>15}  {found.reach:>7}  {verdict}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
