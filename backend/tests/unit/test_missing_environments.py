"""Error messages for a run whose custom environment is not on this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rlviz.domain.errors import EnvironmentMissing
from rlviz.domain.evaluation import EvaluationStatus
from rlviz.learning.environments.base import missing_source
from rlviz.rundir.control import Control
from rlviz.rundir.folder import RunFolder
from rlviz.server.application import Application
from tests.support.service import catalogued
from tests.unit.test_untrusted_runs import EVALUATION, USES, evaluation, fill


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    """A service with trusted runs whose environment is on another machine."""
    runs_dir = tmp_path_factory.mktemp("missing") / "runs"
    fill(runs_dir)
    RunFolder(runs_dir, "ended").evaluations.write(evaluation("ended", EVALUATION, EvaluationStatus.COMPLETED))
    RunFolder(runs_dir, "queued").write_control(Control())
    with catalogued(runs_dir, trust_runs_dir=True) as application:
        yield application


@pytest.mark.parametrize("use", USES)
def test_each_use_names_the_class_and_what_to_do(app: Application, use: str) -> None:
    with pytest.raises(EnvironmentMissing) as caught:
        USES[use](app)
    assert str(caught.value) == (
        "Env, the environment of this run, is the custom class evil.py:Env, but this machine has no file evil.py. "
        "Put the file there, then try again. New runs load the class from RLVIZ_ENVIRONMENTS."
    )


@pytest.mark.parametrize(
    ("entry_point", "missing"),
    [
        (f"{__file__}:Env", None),
        ("/nowhere/world.py:Env", "/nowhere/world.py"),
        ("gymnasium.envs:Env", None),
        ("no_such_package.worlds:Env", "no_such_package"),
        ("no class at all", "no class at all"),
    ],
)
def test_a_missing_file_or_package_is_detected_without_running_code(entry_point: str, missing: str | None) -> None:
    assert missing_source(entry_point) == missing
