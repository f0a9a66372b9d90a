"""Every unusual environment, probed, trained, evaluated, watched and resumed in a separate process, as its probe
predicts.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from rlviz.domain.environment import ProbedEnvironment
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments.custom import custom_environment
from rlviz.server.runs.environments import ProbeFailure, Prober
from tests.support.lives import BEGINS, Life
from tests.support.own_environments import CASES, SOURCE, Case, Plain

BACKEND = Path(__file__).parents[2]
LONGEST_SECONDS = 800.0
"""For all lives in one environment, on a machine however busy."""

SLOW = {"ManyActions", "GreyPicture", "FloatPicture", "Board"}
"""Their networks are large, so they are tried with one algorithm."""


def tried(kind: type[Plain], suited: list[str]) -> list[str]:
    """Return the algorithms to try: all suitable ones if its spaces are unusual, else one on-policy algorithm and
    another that varies by environment. Random actions are always included.
    """
    if kind.__name__ in SLOW:
        return [*suited[:1], "random"]
    if (getattr(kind, "acted", None), getattr(kind, "observed", None)) != (Plain.acted, Plain.observed):
        return [*suited, "random"]
    others = suited[1:]
    turn = list(CASES).index(kind)
    return [*suited[:1], *([others[turn % len(others)]] if others else []), "random"]


def verdict(kind: type[Plain], case: Case) -> tuple[list[str], list[str]]:
    """Return what is wrong with the probe's verdict, and the tried algorithms that it promises."""
    name = kind.__name__
    found = Prober().probe(f"{SOURCE}:{name}")
    if isinstance(found, ProbeFailure):
        if case.refused is not None and case.refused in found.message:
            return [], []
        return [f"refused: {found.message}"], []
    if case.refused is not None:
        return ["not refused"], []
    assert isinstance(found, ProbedEnvironment)
    environment = custom_environment(name, found.environment)
    said = " ".join(found.environment.warnings)
    wrong = [] if (case.warned in said if case.warned is not None else said == "") else [f"warnings: {said}"]
    suited = [algorithm.id for algorithm in ALGORITHMS if environment.suits(algorithm)]
    return wrong, tried(kind, suited)


def lived(name: str, algorithms: list[str], root: Path) -> dict[str, Life | str]:
    """Return the Life of a run of each algorithm, or the output of a process that failed."""
    root.mkdir(parents=True)
    log = root / "log"
    command = [sys.executable, "-m", "tests.support.lives", name, str(root), *algorithms]
    with log.open("wb") as output, suppress(subprocess.TimeoutExpired):  # no pipe: programs that are left hold it open
        subprocess.run(
            command, cwd=BACKEND, stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=LONGEST_SECONDS
        )
    lines = log.read_text(errors="replace").splitlines()
    lives: dict[str, Life | str] = dict.fromkeys(algorithms, "\n".join(lines[-5:]))
    for line in lines:
        if line.startswith(BEGINS):
            algo, _, life = line.removeprefix(BEGINS).partition(" ")
            lives[algo] = Life(**json.loads(life))
    return lives


def problems(life: Life | str, case: Case, algo: str) -> list[str]:
    """Return the differences from the expected outcome of the case."""
    if isinstance(life, str):
        return [life]
    wrong = []
    learns = algo != "random"
    if case.fails is not None and life.ending == "error":
        wrong += [] if case.fails in life.cause else [f"cause: {life.cause}"]
    elif life.ending != "finished":
        wrong.append(f"{life.ending}: {life.cause}")
    else:
        wrong += [f"evaluation: {life.evaluation}"] if (life.evaluation is None) == (case.unfilmed is not None) else []
        wrong += [f"session: {life.session}"] if life.session is not None and case.unfilmed is None else []
        wrong += [f"resumed: {life.resumed}"] if learns and (life.resumed is None) != case.is_exact else []
    if case.told is not None and not any(case.told in warning for warning in life.warnings):
        wrong.append(f"warnings: {life.warnings}")
    if any("learning rate" in warning for warning in life.warnings):
        wrong.append(f"warnings: {life.warnings}")
    return wrong


@pytest.mark.timeout(850)  # six trainings, at the lowest priority
@pytest.mark.parametrize(("kind", "case"), CASES.items(), ids=[kind.__name__ for kind in CASES])
def test_a_run_of_an_environment_goes_as_its_probe_verdict_promises(
    tmp_path: Path, kind: type[Plain], case: Case
) -> None:
    wrong, algorithms = verdict(kind, case)
    lives = lived(kind.__name__, algorithms, tmp_path / "runs") if algorithms else {}
    for algo, life in lives.items():
        wrong += [f"{algo}: {what}" for what in problems(life, case, algo)]
    assert not wrong, "\n".join(wrong)
