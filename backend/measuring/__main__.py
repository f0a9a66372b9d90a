"""Measure the presets by experiments, and write down what came out: measured.json and curves.json in rlviz/presets,
docs/presets.md.

    make presets ARGS="cartpole taxi --only 'PPO *'"

Each file of ``specifications`` is one experiment. What is measured already is left out, and an experiment that was cut
off is gone on with; changing a preset makes it due again. Runs lie in ``.make/presets``, or where RLVIZ_RUNS_DIR says:
``rlviz serve`` shows them there as any others.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from contextlib import closing
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from measuring.curve import draw
from measuring.document import DOCUMENT, PICTURES, curve_name, document
from measuring.specification import Specification, specifications
from rlviz.analysis.experiments import ExperimentResults
from rlviz.cli.connection import Connection
from rlviz.domain.presets import MeasuredCurve, MeasuredPreset
from rlviz.presets.catalog import CURVES, MEASURED, digest, measured_curves
from rlviz.rundir.atomic import write_atomically
from rlviz.services.experiment_results.keeping import curve_of, measured_of
from rlviz.settings import Settings

WORK = Path(__file__).parents[2] / ".make" / "presets"
FIGURES = TypeAdapter(dict[str, MeasuredPreset])
LINES = TypeAdapter(dict[str, MeasuredCurve])
POLL_SECONDS = 2.0


def main() -> None:
    options = _options()
    wanted = [] if options.docs_only else list(_wanted(options))
    if wanted:
        os.environ.setdefault("RLVIZ_RUNS_DIR", str(WORK))
        connection = Connection(Settings(), trains=True)
        connection.open()
        with closing(connection):
            for specification in wanted:
                _measure(specification, connection)
    DOCUMENT.write_text(document())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specification", nargs="*", help="names of files in measuring/specifications; default: all")
    parser.add_argument("--only", help="variants by their names, for instance 'PPO *'")
    parser.add_argument("--seeds", type=int, help="how many; default: as the file says")
    parser.add_argument("--again", action="store_true", help="measure also what is measured already")
    parser.add_argument("--docs-only", action="store_true", help="measure nothing, write docs/presets.md")
    options = parser.parse_args()
    unknown = set(options.specification) - {one.path.stem for one in specifications()}
    if unknown:
        parser.error(f"there is no measuring/specifications/{unknown.pop()}.toml")
    return options


def _wanted(options: argparse.Namespace) -> Iterator[Specification]:
    """The experiments to be made, with the variants that are due."""
    known = _figures()
    for specification in specifications():
        if options.specification and specification.path.stem not in options.specification:
            continue
        due = [
            variant.name
            for variant in specification.spec.variants
            if (options.only is None or fnmatch(variant.name, options.only))
            and (options.again or not _is_measured(known.get(_digest(specification, variant.name))))
        ]
        if due:
            yield specification.only(due, options.seeds)


def _is_measured(figures: MeasuredPreset | None) -> bool:
    return figures is not None and figures.specification is not None


def _digest(specification: Specification, name: str) -> str:
    variant = next(one for one in specification.spec.variants if one.name == name)
    return digest(specification.preset_of(variant), specification.environment.id)


def _measure(specification: Specification, connection: Connection) -> None:
    experiment = _ended(_begun(specification, connection), connection)
    print(f"{experiment['name']}: {experiment['counts']}, {experiment['core_seconds']:.0f} core-seconds", flush=True)
    results = ExperimentResults.model_validate(connection.get(f"/experiments/{experiment['id']}/results"))
    figures, curves = _figures(), dict(measured_curves())
    (DOCUMENT.parent / PICTURES).mkdir(parents=True, exist_ok=True)
    for variant in results.variants:
        if variant.iqm is None:
            continue
        preset = specification.preset_of(next(one for one in specification.spec.variants if one.name == variant.label))
        found = measured_of(variant.variant, results).model_copy(update={"specification": specification.path.name})
        figures[digest(preset, specification.environment.id)] = found
        curve = curve_of(results.curves, variant.variant)
        if curve is not None:
            curves[digest(preset, specification.environment.id)] = curve
            picture = draw(curve, results.threshold)
            (DOCUMENT.parent / PICTURES / curve_name(preset, specification.environment)).write_text(picture)
        print(f"  {variant.label}: {found}", flush=True)
    write_atomically(CURVES, LINES.dump_json(dict(sorted(curves.items()))).replace(b"},", b"},\n") + b"\n")
    write_atomically(MEASURED, FIGURES.dump_json(dict(sorted(figures.items())), indent=2) + b"\n")


def _begun(specification: Specification, connection: Connection) -> dict[str, Any]:
    """An experiment of this specification that was cut off, or else a new one."""
    wanted = specification.spec.model_dump(mode="json", exclude_unset=True)
    for known in connection.get("/experiments")["experiments"]:
        if known["status"] in ("running", "stopped") and _is_of(known, specification):
            if known["status"] == "running":
                return dict(known)
            return dict(connection.post(f"/experiments/{known['id']}/resume"))
    return dict(connection.post("/experiments", {**wanted, "confirm": True}))


def _is_of(experiment: dict[str, Any], specification: Specification) -> bool:
    """Whether it trains the same variants with as many seeds."""
    spec, found = specification.spec, experiment["specification"]
    names = [variant["name"] for variant in found["variants"]]
    return (found["name"], found["seeds"], names) == (spec.name, spec.seeds, [one.name for one in spec.variants])


def _ended(experiment: dict[str, Any], connection: Connection) -> dict[str, Any]:
    while experiment["status"] == "running":
        time.sleep(POLL_SECONDS)
        experiment = connection.get(f"/experiments/{experiment['id']}")
    if experiment["status"] != "completed":
        raise SystemExit(f"{experiment['name']} is {experiment['status']}: {experiment['cause']}")
    return experiment


def _figures() -> dict[str, MeasuredPreset]:
    return FIGURES.validate_json(MEASURED.read_bytes()) if MEASURED.exists() else {}


if __name__ == "__main__":
    main()
