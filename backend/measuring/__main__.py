"""Measure presets with experiments, and write the results: measured.json and curves.json in rlviz/learning/presets, and
docs/presets.md with its pictures.

    make presets ARGS="cartpole taxi --only 'PPO *'"

Each file in ``specifications`` names the presets of one environment. Each preset is a separate experiment, whose result
is written when it ends. Measured presets are skipped until they change. You can stop it at any time, with Ctrl-C or a
kill: the next call continues. Runs are stored in ``.make/presets``, or in RLVIZ_RUNS_DIR, where ``rlviz serve`` shows
them.
"""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Iterator
from contextlib import closing
from fnmatch import fnmatch
from pathlib import Path
from types import FrameType

from measuring.document import write_document
from measuring.figures import Figures
from measuring.measure import Measuring
from measuring.specification import Measurement, specifications
from rlviz.cli.connection import Connection
from rlviz.settings import Settings

WORK = Path(__file__).parents[2] / ".make" / "presets"


def main() -> None:
    options = _options()
    figures = Figures()
    problems: list[str] = []
    try:
        if not options.docs_only:
            problems = _measured(list(due(options, figures)), figures, options)
    finally:  # after an interruption too, for the presets measured before it
        figures.drop_unknown()
        write_document()
    if problems:
        raise SystemExit("\n".join(problems))


def due(options: argparse.Namespace, figures: Figures) -> Iterator[Measurement]:
    """Yield the requested presets that were not measured with as many seeds yet."""
    for specification in specifications():
        if options.specification and specification.path.stem not in options.specification:
            continue
        for variant in specification.spec.variants:
            one = specification.measurement(variant, seeds=options.seeds, parallel=options.parallel)
            named = options.only is None or fnmatch(variant.name, options.only)
            if named and (options.again or options.rewrite or figures.seeds_of(one.digest) < one.seeds):
                yield one


def _measured(wanted: list[Measurement], figures: Figures, options: argparse.Namespace) -> list[str]:
    if not wanted:
        return []
    os.environ.setdefault("RLVIZ_RUNS_DIR", str(WORK))
    settings = Settings()
    if options.parallel is not None:
        settings = settings.model_copy(update={"max_concurrent_runs": options.parallel})
    signal.signal(signal.SIGTERM, _interrupt)
    connection = Connection(settings, starts_many_runs=True)
    connection.open()
    with closing(connection):
        measuring = Measuring(connection, figures, again=options.again, report=lambda line: print(line, flush=True))
        if options.rewrite:
            return measuring.rewrite(wanted)
        measuring.stop_others(wanted, specifications())
        return measuring.measure(wanted)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    """Interrupt the main thread, which stops the experiments. Later signals are ignored."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def _options(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "specification", nargs="*", help="names of files in rlviz/learning/presets/specifications; all by default"
    )
    parser.add_argument("--only", help="measure only variants with this name, for instance 'PPO *'")
    parser.add_argument("--seeds", type=int, help="number of seeds; by default as in the file")
    parser.add_argument("--parallel", type=int, help="number of runs at the same time; by default one per core")
    parser.add_argument("--again", action="store_true", help="measure presets again that are measured already")
    parser.add_argument(
        "--rewrite", action="store_true", help="train nothing, only write the results of ended experiments again"
    )
    parser.add_argument("--docs-only", action="store_true", help="measure nothing, only write docs/presets.md")
    options = parser.parse_args(arguments)
    unknown = set(options.specification) - {one.path.stem for one in specifications()}
    if unknown:
        parser.error(f"there is no rlviz/learning/presets/specifications/{unknown.pop()}.toml")
    return options


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
