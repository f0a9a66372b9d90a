"""Ctrl-C while a command writes: at each moment at which it says how far it is, nothing half stays behind."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rlviz.cli.exits import Exit
from rlviz.rundir.creation import DRAFTS
from rlviz.rundir.folder import run_folders
from tests.support.cli import Ended, call
from tests.support.http import Service, make_run, serving

RUNS = ("one", "two", "three")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("interrupted")
    for run_id in RUNS:
        make_run(folder / "runs", run_id, rows=3, status="completed")
    with serving(folder) as service:
        yield service


class Moments:
    """What a command tells how far it is, until Ctrl-C is pressed at one of these moments."""

    def __init__(self, last: int) -> None:
        self.left = last

    def pass_by(self, *_told: object) -> None:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1

    @contextmanager
    def shown(self, *_what: object) -> Iterator[Callable[..., None]]:
        """In place of ``waiting`` and ``progress``."""
        self.pass_by()
        yield self.pass_by
        self.pass_by()


def at_every_moment(monkeypatch: pytest.MonkeyPatch, module: str, command: Callable[[], Ended]) -> Iterator[int]:
    """Interrupt the command at its first moment, its second, and so on, until it is done, or finds that all of it is
    done already; yields after each."""
    for last in range(200):
        moments = Moments(last)
        for name in ("waiting", "progress"):
            monkeypatch.setattr(f"rlviz.cli.commands.{module}.{name}", moments.shown, raising=False)
        ended = command()
        if ended.status in (Exit.OK, Exit.CONFLICT):
            monkeypatch.undo()
            return
        assert (ended.status, "Interrupted." in ended.err) == (Exit.INTERRUPTED, True), ended.err
        yield last
    pytest.fail("It came to no end.")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("metrics.csv", ("one",)),
        ("one.zip", ("one", "--bundle")),
        ("several", RUNS),
        ("several.zip", (*RUNS, "--format", "json")),
        ("bundles.zip", (*RUNS, "--bundle")),
    ],
)
def test_an_export_is_there_whole_or_not_at_all(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, arguments: tuple[str, ...]
) -> None:
    def export() -> Ended:
        return call(service.runs_dir, "export", *arguments, "--output", str(tmp_path / name))

    interrupted = []
    for moment in at_every_moment(monkeypatch, "export", export):
        interrupted.append(moment)
        left = [path.name for path in tmp_path.iterdir()]
        assert left in ([], [name]), "what is there is whole: it was renamed"
        if left:
            (tmp_path / name).rename(tmp_path.parent / f"{name}-{os.urandom(4).hex()}")
    assert len(interrupted) > 1
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_an_import_leaves_whole_runs_alone_and_goes_on_when_it_is_asked_again(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundles = tmp_path / "bundles"
    assert call(service.runs_dir, "export", *RUNS, "--bundle", "--output", str(bundles)).status == Exit.OK
    with serving(tmp_path) as other:

        def bring_in() -> Ended:
            return call(other.runs_dir, "import", str(bundles))

        for _ in at_every_moment(monkeypatch, "imports", bring_in):
            there = {folder.run_id: folder for folder in run_folders(other.runs_dir)}
            assert there.keys() <= set(RUNS)
            for folder in there.values():
                assert len(folder.metrics_path.read_text().splitlines()) == 3
            drafts = other.runs_dir / DRAFTS
            assert not drafts.exists() or not any(drafts.iterdir())
        again = call(other.runs_dir, "import", str(bundles))
        assert again.status == Exit.CONFLICT, "all of them are there"
        assert {run["id"] for run in other.get("/runs")["runs"]} == set(RUNS)


def test_a_rebuild_that_is_interrupted_leaves_a_catalogue_that_the_next_one_makes_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run_id in RUNS:
        make_run(tmp_path / "runs", run_id, rows=3, status="completed")

    def rebuild() -> Ended:
        return call(tmp_path / "runs", "rebuild")

    for _ in at_every_moment(monkeypatch, "service", rebuild):
        assert {path.name for path in (tmp_path / "runs").iterdir()} <= {
            *RUNS,
            "rlviz.db",
            "rlviz.db-shm",
            "rlviz.db-wal",
            "rlviz.lock",
        }
    assert rebuild().out == "Indexed 3 runs and 0 evaluations.\n"
