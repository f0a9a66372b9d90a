"""What a start of the service and of commands imports: each heavy package costs every start its time and memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from rlviz.rundir.sealed import SealedMetrics
from rlviz.sealer import seal
from tests.support.run_folders import make_run

HEAVY = ("torch", "stable_baselines3", "gymnasium", "pygame", "moviepy", "alembic", "matplotlib", "pandas", "optuna")


def imported(program: str, *names: str) -> list[str]:
    """Which of ``names`` a new interpreter has imported after ``program``."""
    program += f"\nimport sys\nprint(*[name for name in {names!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()


def test_the_service_imports_nothing_that_only_workers_need() -> None:
    program = "import rlviz.server.app, rlviz.server.application, rlviz.learning.search.study"
    assert imported(program, *HEAVY) == []


def test_a_scripted_worker_needs_no_torch() -> None:
    program = "import rlviz.testing.scripted, rlviz.testing.scripted_evaluation, rlviz.testing.scripted_training"
    assert imported(program, "torch", "stable_baselines3", "gymnasium") == []


def test_the_registries_import_nothing_heavy() -> None:
    program = (
        "from rlviz.learning.algorithms import ALGORITHMS\nfrom rlviz.learning.environments import ENVIRONMENTS\n"
        "assert list(ALGORITHMS) and list(ENVIRONMENTS)"
    )
    assert imported(program, "torch", "gymnasium", "stable_baselines3", "numpy") == []


def test_the_first_answer_imports_no_other_routes_and_the_description_has_all() -> None:
    program = "from rlviz.server.app import create_api\napi = create_api()"
    routers = [f"rlviz.server.routers.{name}" for name in ("health", "runs", "stream", "experiments")]
    assert imported(program, *routers) == ["rlviz.server.service.routes"]
    described = f"{program}\npaths = api.openapi()['paths']\nassert {{'/health', '/experiments'}} <= set(paths)"
    assert "rlviz.server.stream.routes" in imported(described, *routers)


def test_reading_a_sealed_journal_imports_no_cloud_file_systems(tmp_path: Path) -> None:
    """They are a quarter of what PyArrow takes in the memory of a service that shows a long run."""
    folder = make_run(tmp_path, "sealed-run", rows=2_000, status="completed")
    seal(SealedMetrics(folder.sealed, folder.metrics_path), least_bytes=1)
    program = (
        "from pathlib import Path\nfrom rlviz.rundir.sealed import SealedMetrics\n"
        f"pieces = SealedMetrics(Path({str(folder.sealed)!r}), Path({str(folder.metrics_path)!r})).pieces()\n"
        "assert len(pieces[0].axis('step')) > 0"
    )
    assert imported(program, "pyarrow", "pyarrow.fs") == ["pyarrow"]
