"""Imports at the start of the service and of commands: no heavy package is among them."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("torch", "stable_baselines3", "gymnasium", "pygame", "moviepy", "alembic", "matplotlib", "pandas", "optuna")


def imported(program: str, *names: str) -> list[str]:
    """Return which of ``names`` a new interpreter has imported after ``program``."""
    program += f"\nimport sys\nprint(*[name for name in {names!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()


def test_the_service_imports_nothing_that_only_workers_need() -> None:
    program = "import rlviz.server.app, rlviz.server.application, rlviz.learning.search.study"
    assert imported(program, *HEAVY) == []


def test_a_scripted_worker_needs_no_torch() -> None:
    program = "import rlviz.testing.scripted, rlviz.testing.scripted_evaluation, rlviz.testing.scripted_training"
    assert imported(program, "torch", "stable_baselines3", "gymnasium") == []


def test_the_registries_import_no_heavy_module() -> None:
    program = (
        "from rlviz.learning.algorithms import ALGORITHMS\nfrom rlviz.learning.environments import ENVIRONMENTS\n"
        "assert list(ALGORITHMS) and list(ENVIRONMENTS)"
    )
    assert imported(program, "torch", "gymnasium", "stable_baselines3", "numpy") == []
