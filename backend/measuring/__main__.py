"""Measure the presets by experiments, and write the results: measured.json and curves.json in rlviz/learning/presets,
docs/presets.md and its pictures.

    make presets ARGS="cartpole taxi --only 'PPO *'"

Each file of ``specifications`` names the presets of one environment; each preset is an experiment of its own, and is
written down as it ends. What is measured already is left out; changing a preset makes it due again. It can be stopped
at any time, with Ctrl-C or by a kill: the next invocation goes on where it was. Runs lie in ``.make/presets``, or where
RLVIZ_RUNS_DIR says: ``rlviz serve`` shows them there as any others.
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
    finally:  # also of what was measured before it was interrupted
        figures.drop_unknown()
        write_document()
    if problems:
        raise SystemExit("\n".join(problems))


def due(options: argparse.Namespace, figures: Figures) -> Iterator[Measurement]:
    """The presets that are asked for, but for those that were measured with as many seeds."""
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
    connection = Connection(settings, trains=True)
    connection.open()
    with closing(connection):
        measuring = Measuring(connection, figures, again=options.again, report=lambda line: print(line, flush=True))
        if options.rewrite:
            return measuring.rewrite(wanted)
        measuring.stop_others(wanted, specifications())
        return measuring.measure(wanted)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    """Once: what trains is being stopped then."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def _options(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "specification", nargs="*", help="names of files in rlviz/learning/presets/specifications; default: all"
    )
    parser.add_argument("--only", help="variants by their names, for instance 'PPO *'")
    parser.add_argument("--seeds", type=int, help="how many; default: as the file says")
    parser.add_argument("--parallel", type=int, help="how many runs train at once; default: one for each core")
    parser.add_argument("--again", action="store_true", help="measure also what is measured already")
    parser.add_argument("--rewrite", action="store_true", help="train nothing, write down ended experiments again")
    parser.add_argument("--docs-only", action="store_true", help="measure nothing, write docs/presets.md")
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
