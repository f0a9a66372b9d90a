"""A service that dies at more moments of creating a run than in ``make test``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_create_run import die_while_creating_a_run


@pytest.mark.parametrize(("step", "there"), [("before the control file", False), ("before it is told", True)])
def test_a_service_that_dies_while_it_creates_a_run_leaves_a_whole_run_or_none(
    tmp_path: Path, step: str, there: bool
) -> None:
    die_while_creating_a_run(tmp_path, step, there)
