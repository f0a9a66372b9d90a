"""Train presets over several seeds and write down how well they learn: rlviz/presets/measured.json, docs/presets.md.

    make presets ARGS="--env CartPole-v1 --algo ppo --preset fast --seeds 3"

What is measured already is skipped, seed by seed, so that it can be interrupted; changing a preset makes it due again.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pydantic import TypeAdapter

from benchmarks.presets.curve import draw
from benchmarks.presets.document import CURVES, DOCUMENT, curve_name, document
from benchmarks.presets.measure import Job, measure
from benchmarks.presets.outcome import Outcome, summarize
from rlviz.domain.presets import MeasuredPreset
from rlviz.environments import ENVIRONMENTS
from rlviz.presets.catalog import MEASURED, preset_files
from rlviz.rundir.atomic import write_atomically

SEEDS = {"CartPole-v1": 10, "toy-text": 5, "classic-control": 5, "box2d": 3, "atari": 1}
"""How many, by environment or family; those that are slower have fewer."""

WORK = Path(__file__).parents[3] / ".make" / "presets"
"""Finished seeds wait here until all of a preset are done."""

FIGURES = TypeAdapter(dict[str, MeasuredPreset])


def main() -> None:
    options = _options()
    if not options.docs_only:
        jobs = list(_jobs(options))
        for job in jobs:
            _measure(job, options)
    if options.to is None:
        DOCUMENT.write_text(document())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", nargs="*", help="ids of environments; all with a page if left out")
    parser.add_argument("--algo", nargs="*", help="ids of algorithms")
    parser.add_argument("--preset", nargs="*", help="fast, stable, high-score")
    parser.add_argument("--seeds", type=int, help="how many; default: by environment, 10 for CartPole")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--docs-only", action="store_true", help="measure nothing, write docs/presets.md")
    parser.add_argument("--timesteps", type=int, help="cut training short, to try this out; needs --to")
    parser.add_argument("--to", type=Path, help="write figures and curves into this folder, and no document")
    options = parser.parse_args()
    if options.timesteps is not None and options.to is None:
        parser.error("--timesteps measures something else than the presets: give --to, too")
    return options


def _jobs(options: argparse.Namespace) -> Iterator[Job]:
    for file in preset_files():
        if file.environment is None or (options.env and file.environment not in options.env):
            continue
        for preset in file.preset:
            wanted = not options.algo or preset.algorithm in options.algo
            if wanted and (not options.preset or preset.id.value in options.preset):
                yield Job(preset, ENVIRONMENTS.get(file.environment).resolve(preset.when))


def _measure(job: Job, options: argparse.Namespace) -> None:
    figures_path = options.to / MEASURED.name if options.to else MEASURED
    figures = FIGURES.validate_json(figures_path.read_bytes()) if figures_path.exists() else {}
    if job.digest in figures:
        return
    count = options.seeds or SEEDS.get(job.environment.id, SEEDS[job.environment.family.id])
    print(f"{job.name}: {count} seeds", flush=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(lambda seed: _seed(job, seed, options), range(count)))
    found = summarize(outcomes, job.environment.reward_threshold)
    figures[job.digest] = found
    curves = options.to or DOCUMENT.parent / CURVES
    curves.mkdir(parents=True, exist_ok=True)
    (curves / curve_name(job.preset, job.environment)).write_text(draw(outcomes, job.environment.reward_threshold))
    write_atomically(figures_path, FIGURES.dump_json(dict(sorted(figures.items())), indent=2) + b"\n")
    print(f"  {found}", flush=True)


def _seed(job: Job, seed: int, options: argparse.Namespace) -> Outcome:
    """The outcome of one seed, from where an earlier measuring left it if it did."""
    kept = (options.to or WORK) / f"{job.digest}-{seed}.json"
    if kept.exists():
        return Outcome.model_validate_json(kept.read_bytes())
    outcome = measure(job, seed, options.timesteps)
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(kept, outcome.model_dump_json().encode())
    return outcome


if __name__ == "__main__":
    main()
