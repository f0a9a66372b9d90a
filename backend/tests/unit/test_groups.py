"""Groups of runs that differ only in their seed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rlviz.domain.config import ExperimentPlace, Parent
from rlviz.domain.errors import InvalidRequest
from rlviz.domain.limits import LIMITS
from rlviz.domain.status import RunStatus
from rlviz.rundir.folder import RunFolder, run_folders
from rlviz.server.application import Application
from rlviz.server.catalog.models import RunRow
from rlviz.server.runs.configuration import NewRun
from rlviz.server.runs.groups import Group, SeedRequest
from tests.support.service import catalogue, catalogued

NEW = NewRun(algo="ppo", env_id="CartPole-v1", total_timesteps=1_000)
THREE = SeedRequest(seeds=(4, 1, 9))
IDENTITY = {"run_id", "created_at", "seed", "group_id"}


def settings_of(app: Application, row: RunRow) -> dict[str, object]:
    return app.runs.config(row.id).model_dump(mode="json", exclude=IDENTITY)


def test_the_runs_of_a_group_differ_only_in_their_seed(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        rows = app.groups.create(NEW, THREE, start=True)
        assert [row.seed for row in rows] == [4, 1, 9]
        assert {row.group_id for row in rows} == {rows[0].id}
        assert {row.status for row in rows} == {"queued"}
        assert len(app.runs.queue_positions()) == 3
        assert all(settings_of(app, row) == settings_of(app, rows[0]) for row in rows)


def test_a_rebuilt_catalogue_knows_the_groups(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        app.groups.create(NEW, THREE, start=False)
        before = catalogue(app.database)
        app.rebuild()
        assert catalogue(app.database) == before


def test_a_count_continues_from_the_seed_or_draws_distinct_ones(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        counted = app.groups.create(replace(NEW, seed=7), SeedRequest(count=3), start=False)
        assert [row.seed for row in counted] == [7, 8, 9]
        drawn = app.groups.create(NEW, SeedRequest(count=20), start=False)
        assert len({row.seed for row in drawn}) == 20


def test_added_seeds_get_the_settings_and_current_name_of_their_group(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        first = app.runs.create(replace(NEW, seed=3, hyperparameters={"gamma": 0.9}))
        app.runs.relabel(first.id, {"name": "short sight"})
        second = app.groups.add_seeds(first.id, SeedRequest(seeds=(5,)))[0]
        assert (second.group_id, second.seed, second.name, second.status) == (first.id, 5, "short sight", "queued")
        config = app.runs.config(second.id)
        assert (config.hyperparameters["gamma"], config.group_id) == (0.9, first.id)
        third = app.groups.add_seeds(second.id, SeedRequest(count=1))[0]
        assert third.group_id == first.id
        assert third.seed not in (3, 5)
        assert [[row.seed for row in group.runs] for group in app.groups.find([first.id])] == [
            sorted([3, 5, third.seed])
        ]


@pytest.mark.parametrize(
    ("wanted", "pointer"),
    [
        (SeedRequest(), "/seeds"),
        (SeedRequest(seeds=(1,), count=2), "/seeds"),
        (SeedRequest(seeds=(1, 2, 1)), "/seeds/2"),
    ],
)
def test_duplicate_seeds_and_seeds_with_a_count_are_refused(tmp_path: Path, wanted: SeedRequest, pointer: str) -> None:
    with catalogued(tmp_path) as app:
        with pytest.raises(InvalidRequest) as refused:
            app.groups.create(NEW, wanted, start=True)
        assert [field.pointer for field in refused.value.fields] == [pointer]
        assert not list(run_folders(tmp_path))


def test_an_existing_seed_and_one_beyond_the_limit_are_refused(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        first = app.runs.create(replace(NEW, seed=3))
        with pytest.raises(InvalidRequest, match="The group already has seed 3"):
            app.groups.add_seeds(first.id, SeedRequest(seeds=(4, 3)))
        with pytest.raises(InvalidRequest, match="exceed"):
            app.groups.create(replace(NEW, seed=LIMITS.seed.maximum), SeedRequest(count=2), start=True)
        assert len(list(run_folders(tmp_path))) == 1


def test_seeds_added_to_a_trial_are_separate_runs(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        row = app.runs.create(NEW)
        folder = RunFolder(tmp_path, row.id)
        trial = ExperimentPlace(id="exp-20261123-180754-a3cdb9", variant="v1", trial=1)
        folder.config_path.write_text(folder.read_config().model_copy(update={"experiment": trial}).model_dump_json())
        added = app.groups.add_seeds(row.id, SeedRequest(count=1))[0]
        assert app.runs.config(added.id).experiment is None


def test_a_forked_run_has_no_other_seeds(tmp_path: Path) -> None:
    with catalogued(tmp_path) as app:
        row = app.runs.create(NEW)
        folder = RunFolder(tmp_path, row.id)
        parent = Parent(run_id="another", snapshot="s", step=10)
        forked = folder.read_config().model_copy(update={"parent": parent})
        folder.config_path.write_text(forked.model_dump_json())
        with pytest.raises(InvalidRequest, match="forked"):
            app.groups.add_seeds(row.id, SeedRequest(count=1))


def test_a_disk_that_fills_up_at_the_third_run_leaves_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    appeared, rename = 0, Path.rename

    def full(path: Path, target: Path) -> Path:
        nonlocal appeared
        appeared += 1
        if appeared == 3:
            raise OSError(28, "No space left on device")
        return rename(path, target)

    with catalogued(tmp_path) as app:
        with monkeypatch.context() as patch:
            patch.setattr(Path, "rename", full)
            with pytest.raises(OSError, match="No space"):
                app.groups.create(NEW, THREE, start=True)
        assert not list(run_folders(tmp_path))
        assert not catalogue(app.database)


def test_a_group_is_summarised_by_the_existing_returns() -> None:
    def row(seed: int, mean: float | None, best: float | None = None) -> RunRow:
        return RunRow(
            id=f"r{seed}", group_id="g", name="n", algo="ppo", env_id="e", seed=seed, total_timesteps=1,
            tags=[], created_at=0.0, ep_rew_mean=mean, best_moving_average=best, status=RunStatus.COMPLETED.value,
        )  # fmt: skip

    group = Group.from_rows("g", [row(seed, mean) for seed, mean in enumerate([10, 20, 30, 100, None])])
    assert group.returns is not None
    assert (group.returns.count, group.returns.iqm) == (4, 25)
    assert Group.from_rows("g", [row(1, None), row(2, None)]).returns is None
    assert group.definition == (
        "Interquartile mean of the mean return of the last 100 episodes of 4 of 5 seeds, "
        "with the 95 % interval of a bootstrap over seeds (2,000 resamples). "
        "Source: Agarwal et al. 2021, https://arxiv.org/abs/2108.13264."
    )
    assert "1 of 2 seeds; one seed: no interval. Source:" in Group.from_rows("g", [row(1, 5), row(2, None)]).definition
    assert (
        Group.from_rows("g", [row(1, None), row(2, None)]).definition
        == "None of the 2 seeds has finished an episode yet."
    )
    early = Group.from_rows("g", [row(1, 5), row(2, 6)])
    assert (early.best, early.best_definition) == (None, "None of the 2 seeds has finished 20 episodes yet.")
    later = Group.from_rows("g", [row(1, 5, 100), row(2, 6, 300), row(3, 7)])
    assert later.best is not None
    assert (later.best.count, later.best.iqm) == (2, 200)
    assert later.best_definition.startswith(
        "Interquartile mean of the best average, the highest mean return of 20 episodes in a row, of 2 of 3 seeds, with"
    )
