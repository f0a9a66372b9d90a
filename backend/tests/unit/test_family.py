"""The relatives of a run."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from rlviz.rundir.folder import RunFolder
from rlviz.services.application import Application
from rlviz.services.use_cases.family import Family
from rlviz.settings import Settings
from tests.support.http import make_run


def fork(root: Path, name: str, parent: str, *changed: str, **config: Any) -> RunFolder:
    born = {"run_id": parent, "snapshot": "512", "step": 512, "changed": list(changed)}
    return make_run(root, name, parent=born, **config)


def family_of(root: Path, run_id: str) -> Family:
    app = Application(Settings(_env_file=None, runs_dir=root, warm_worker=False))  # type: ignore[call-arg]
    app.rebuild()
    with closing(app.database):
        return app.family.of(run_id)


def test_parent_siblings_and_children_with_what_each_changed(tmp_path: Path) -> None:
    make_run(tmp_path, "parent")
    fork(tmp_path, "a", "parent", "gamma", hyperparameters={"gamma": 0.9})
    fork(tmp_path, "b", "parent", seed=7)
    fork(tmp_path, "c", "a")
    found = family_of(tmp_path, "a")
    assert found.parent is not None
    assert found.parent.row is not None
    assert (found.parent.run_id, found.parent.forked_at) == ("parent", None)
    assert [(one.name, one.before, one.after) for one in found.own.changes] == [("gamma", 0.99, 0.9)]
    [sibling] = found.siblings
    assert (sibling.run_id, [(one.name, one.before, one.after) for one in sibling.changes]) == ("b", [("seed", 1, 7)])
    assert [one.run_id for one in found.children] == ["c"]
    assert {one.run_id for one in family_of(tmp_path, "parent").children} == {"a", "b"}


def test_a_parent_that_is_deleted_is_named_and_its_forks_are_siblings_still(tmp_path: Path) -> None:
    fork(tmp_path, "a", "gone", "gamma")
    fork(tmp_path, "b", "gone")
    found = family_of(tmp_path, "a")
    assert found.parent is not None
    assert (found.parent.run_id, found.parent.row) == ("gone", None)
    assert [(one.name, one.before, one.after) for one in found.own.changes] == [("gamma", None, 0.99)]
    assert [one.run_id for one in found.siblings] == ["b"]


def test_a_run_without_relatives_has_none(tmp_path: Path) -> None:
    make_run(tmp_path, "a")
    found = family_of(tmp_path, "a")
    assert (found.parent, found.siblings, found.children) == (None, [], [])
