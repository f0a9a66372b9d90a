"""The family tree of a run."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from rlviz.rundir.folder import RunFolder
from rlviz.server.application import Application
from rlviz.server.runs.family import MOST_MEMBERS
from rlviz.server.runs.models import RunFamily
from rlviz.settings import Settings
from tests.support.run_folders import make_run


def fork(root: Path, name: str, parent: str, *changed: str, **config: Any) -> RunFolder:
    born = {"run_id": parent, "snapshot": "512", "step": 512, "changed": list(changed)}
    return make_run(root, name, parent=born, **config)


def family_of(root: Path, run_id: str) -> RunFamily:
    app = Application(Settings(_env_file=None, runs_dir=root, warm_worker=False))  # type: ignore[call-arg]
    app.rebuild()
    with closing(app.database):
        return app.family.find_family(run_id)


def changes_of(found: RunFamily, run_id: str) -> list[tuple[str, object, object]]:
    [member] = [one for one in found.members if one.run_id == run_id]
    return [(one.name, one.before, one.after) for one in member.changes]


def test_the_family_tree_shows_what_each_fork_changed(tmp_path: Path) -> None:
    make_run(tmp_path, "root")
    fork(tmp_path, "parent", "root")
    fork(tmp_path, "uncle", "root")
    fork(tmp_path, "a", "parent", "gamma", hyperparameters={"gamma": 0.9})
    fork(tmp_path, "b", "parent", seed=7)
    fork(tmp_path, "child", "a")
    fork(tmp_path, "grandchild", "child")
    fork(tmp_path, "nephew", "b")
    make_run(tmp_path, "stranger")
    tree = {
        "root": None,
        "parent": "root",
        "a": "parent",
        "child": "a",
        "grandchild": "child",
        "b": "parent",
        "nephew": "b",
        "uncle": "root",
    }
    for run_id in ("a", "root", "grandchild"):
        found = family_of(tmp_path, run_id)
        assert found.whole
        assert {one.run_id: one.parent_id for one in found.members} == tree
    order = [one.run_id for one in found.members]
    assert all(order.index(parent) < order.index(child) for child, parent in tree.items() if parent is not None)
    assert changes_of(found, "a") == [("gamma", 0.99, 0.9)]
    assert changes_of(found, "b") == [("seed", 1, 7)]


def test_a_large_family_is_limited_to_the_nearest_members(tmp_path: Path) -> None:
    make_run(tmp_path, "root")
    fork(tmp_path, "a", "root")
    for number in range(MOST_MEMBERS):
        fork(tmp_path, f"sibling-{number}", "root")
    fork(tmp_path, "child", "a")
    found = family_of(tmp_path, "a")
    assert (len(found.members), found.whole) == (MOST_MEMBERS, False)
    assert {"root", "a", "child"} < {one.run_id for one in found.members}


def test_a_changed_environment_option_is_shown_with_its_values(tmp_path: Path) -> None:
    make_run(tmp_path, "parent", env_options={"is_slippery": True})
    fork(tmp_path, "a", "parent", "is_slippery", env_options={"is_slippery": False})
    assert changes_of(family_of(tmp_path, "a"), "a") == [("is_slippery", True, False)]


def test_an_option_that_did_not_exist_yet_had_its_default(tmp_path: Path) -> None:
    make_run(tmp_path, "parent", algo="dqn")
    fork(tmp_path, "a", "parent", "n_steps", algo="dqn", hyperparameters={"n_steps": 3})
    assert changes_of(family_of(tmp_path, "a"), "a") == [("n_steps", 1, 3)]


def test_a_deleted_parent_is_named_and_its_forks_stay_siblings(tmp_path: Path) -> None:
    fork(tmp_path, "a", "gone", "gamma")
    fork(tmp_path, "b", "gone")
    found = family_of(tmp_path, "a")
    assert [(one.run_id, one.deleted, one.parent_id) for one in found.members if one.run_id == "gone"] == [
        ("gone", True, None)
    ]
    assert {one.run_id for one in found.members} == {"gone", "a", "b"}
    assert changes_of(found, "a") == [("gamma", None, 0.99)]


def test_a_run_without_relatives_has_an_empty_family(tmp_path: Path) -> None:
    make_run(tmp_path, "a")
    assert [one.run_id for one in family_of(tmp_path, "a").members] == ["a"]
