"""A failing part of the supervisor does not block the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.errors import RunNotFound
from rlviz.domain.status import RunStatus
from rlviz.library.tracking import track
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.projection.folder import IndexedFolders, index_folder
from rlviz.server.supervisor import supervisor as foreign_runs
from tests.support.service import catalogued

PARTS = ("sessions.poll", "_foreign.poll", "_clips.poll", "_verifications.poll", "_launcher.maintain")
"""What the supervisor looks after beside runs and evaluations."""


@pytest.mark.parametrize("broken", PARTS)
def test_a_part_that_fails_at_each_tick_blocks_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    called: list[str] = []
    with catalogued(tmp_path) as app:
        for name in (*PARTS, "_runs.poll", "_evaluations.poll", "_evaluations.launch"):
            owner, method = name.split(".")
            monkeypatch.setattr(getattr(app.supervisor, owner), method, noting(called, name, fails=name == broken))
        app.supervisor._advance(woken=True)
    assert set(called) >= {*PARTS, "_runs.poll", "_evaluations.poll", "_evaluations.launch"}


def noting(called: list[str], name: str, *, fails: bool) -> Any:
    def tick(*_arguments: Any) -> bool:
        called.append(name)
        if fails:
            raise LookupError("an injected fault")
        return False

    return tick


def test_an_unreadable_folder_does_not_hide_other_foreign_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with catalogued(tmp_path) as app, track(runs_dir=tmp_path) as broken, track(runs_dir=tmp_path) as whole:

        def failing(folder: RunFolder, found: IndexedFolders) -> None:
            if folder.run_id == broken.id:
                raise LookupError("an injected fault")
            index_folder(folder, found)

        monkeypatch.setattr(foreign_runs, "index_folder", failing)
        app.supervisor._foreign.poll()
        assert app.runs.get(whole.id).state is RunStatus.RUNNING
        with pytest.raises(RunNotFound):
            app.runs.get(broken.id)
