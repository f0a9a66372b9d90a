"""``make bench``: every part, one table.

python -m benchmarks [throughput] [scaling] [responsiveness] [volume] [evaluation]
"""

from __future__ import annotations

import argparse
import importlib
import time

from benchmarks.support import Figure

PARTS = ("throughput", "scaling", "responsiveness", "volume", "evaluation")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="part", help=", ".join(PARTS))
    for part in parser.parse_args().parts or PARTS:
        begin = time.monotonic()
        figures: list[Figure] = importlib.import_module(f"benchmarks.{part}").run()
        print(f"\n{part} ({time.monotonic() - begin:.0f} s)")
        for found in figures:
            verdict = {None: "", True: "reached", False: "MISSED"}[found.met]
            print(f"  {found.what:74} {found.value:>15}  {found.reach:>7}  {verdict}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
