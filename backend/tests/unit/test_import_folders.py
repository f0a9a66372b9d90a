"""Import of folders and archives with logs of other tools."""

from __future__ import annotations

import shutil
import stat
import struct
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from tests.support.imports import EVENTS, HEAD, MONITOR, PROGRESS, event, one_of, record, refusal, runs_of, written
from tests.support.training import messages, rows

BILLION_LAUGHS = "a: &a [x, x, x, x]\n" + "".join(
    f"{name}: &{name} [*{of}, *{of}, *{of}, *{of}]\n" for of, name in zip("abcdefgh", "bcdefghi", strict=True)
)
ORDERED = "!!python/object/apply:collections.OrderedDict\n- "


@pytest.fixture
def zoo(tmp_path: Path) -> Path:
    folder = tmp_path / "logs" / "ppo" / "CartPole-v1_1"
    written(folder / "0.monitor.csv", MONITOR)
    written(folder / "best_model.zip", b"cos\nsystem\n(S'touch pwned'\ntR.")
    written(
        folder / "CartPole-v1" / "args.yml",
        ORDERED + "- - algo\n    - ppo\n  - - seed\n    - 7\n  - - n_timesteps\n    - -1\n",
    )
    written(
        folder / "CartPole-v1" / "config.yml",
        ORDERED + "- - n_timesteps\n    - 100000.0\n  - - n_envs\n    - !!python/tuple [1, 2]\n",
    )
    results = {"timesteps": np.array([10, 30]), "results": np.array([[1.0, 3.0], [5.0, 5.0]])}
    np.savez(folder / "evaluations.npz", **results, ep_lengths=np.array([[2, 4], [6, 6]]))
    return folder


def test_a_folder_of_the_zoo_imports_as_a_run_with_settings_and_evaluations(tmp_path: Path, zoo: Path) -> None:
    folder = one_of(tmp_path, tmp_path / "logs")
    config = folder.read_config()
    assert (config.algo, config.env_id, config.seed, config.total_timesteps) == ("ppo", "CartPole-v1", 7, 100_000)
    assert config.hyperparameters == {"n_timesteps": 100_000.0, "n_envs": [1, 2]}
    assert config.imported_from == "a folder of the RL Zoo"
    evaluated = [(row["step"], row["values"]) for row in rows(folder) if "eval/mean_reward" in row["values"]]
    assert evaluated == [
        (10, {"eval/mean_reward": 2.0, "eval/std_reward": 1.0, "eval/mean_ep_length": 3.0}),
        (30, {"eval/mean_reward": 5.0, "eval/std_reward": 0.0, "eval/mean_ep_length": 6.0}),
    ]
    assert not list(folder.path.glob("**/*.zip")), "its policy stays where it is"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("!!python/object/apply:os.system ['touch pwned']", "does not contain names and values"),
        ("!!python/object/new:subprocess.Popen [[touch, pwned]]", "does not contain names and values"),
        ("a: [1", "cannot be read as YAML"),
        ("[" * 5_000, "cannot be read as YAML"),
        (BILLION_LAUGHS, "more than 2,000"),
        ("a: &a [*a]", "refers to itself"),
        ("x" * (1 << 20) + "x", "more than"),
    ],
)
def test_yaml_is_read_as_data_and_never_executed(tmp_path: Path, zoo: Path, content: str, says: str) -> None:
    written(zoo / "CartPole-v1" / "config.yml", content)
    folder = one_of(tmp_path, zoo)
    assert [message for message in messages(folder) if says in message]
    assert folder.read_config().hyperparameters == {}
    assert len(rows(folder)) == 4
    assert not list(tmp_path.rglob("pwned"))
    assert not Path("pwned").exists()


def test_arrays_that_are_pickled_or_too_large_are_left_out(tmp_path: Path, zoo: Path) -> None:
    path = tmp_path / "evaluations.npz"

    def left_out(why: str) -> None:
        """Check that the file alone is refused, and beside episodes becomes a warning."""
        assert why in refusal(tmp_path, path)
        (zoo / path.name).write_bytes(path.read_bytes())
        folder = one_of(tmp_path, zoo)
        assert [why in message for message in messages(folder)] == [True]
        assert [row["step"] for row in rows(folder)] == [10, 30]
        shutil.rmtree(tmp_path / "runs")

    np.savez(path, timesteps=np.array([1]), results=np.array([{"a": 1}]))
    left_out("cannot be read as arrays")
    np.savez(path, timesteps=np.array([1, 2]), results=np.ones((1, 2)))
    left_out("a row of returns for each")
    np.savez(path, timesteps=np.array([1]))
    left_out("has no results")
    np.savez_compressed(path, timesteps=np.array([1]), results=np.zeros((1, 20_000_000)))
    left_out("would take more")
    written(path, b"PK\x03\x04")
    left_out("cannot be read as arrays")


def zipped(path: Path, members: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return path


def test_each_folder_with_logs_is_a_run_and_unreadable_ones_are_named(tmp_path: Path) -> None:
    written(tmp_path / "logs" / "a" / "progress.csv", PROGRESS)
    written(tmp_path / "logs" / "b" / "monitor.csv", HEAD)
    written(tmp_path / "logs" / "c" / "PPO_1" / EVENTS, record(event(1, b"loss", 0.5)))
    (tmp_path / "logs" / "d").symlink_to("/etc")
    (tmp_path / "logs" / "progress.csv").symlink_to(tmp_path / "logs" / "a" / "progress.csv")
    brought = runs_of(tmp_path, tmp_path / "logs")
    assert [folder.read_config().name for folder in brought.runs] == ["logs/a", "logs/c/PPO_1"]
    assert [folder.read_config().algo for folder in brought.runs] == ["custom", "ppo"]
    [(place, why)] = brought.refused
    assert place == "logs/b"
    assert "no number" in why


@pytest.mark.parametrize("separator", ["/", "\\"])
def test_an_archive_of_logs_is_unpacked_whatever_system_packed_it(tmp_path: Path, separator: str) -> None:
    members: dict[str, str | bytes] = {separator.join(("logs", "a", "progress.csv")): PROGRESS.replace("\n", "\r\n")}
    folder = one_of(tmp_path, zipped(tmp_path / "mine.zip", members))
    assert [row["step"] for row in rows(folder)] == [128, 256, 384]
    with zipfile.ZipFile(tmp_path / "mine.zip") as packed:
        packed_at = packed.infolist()[0].date_time
    assert rows(folder)[-1]["time"] == time.mktime((*packed_at, 0, 0, -1)), "when the file was written"
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [".new", folder.run_id]
    assert list((tmp_path / "runs" / ".new").iterdir()) == []


@pytest.mark.parametrize(
    "name", ["../progress.csv", "/tmp/progress.csv", "..\\progress.csv", "C:\\progress.csv", "a/../../progress.csv"]
)
def test_a_path_that_escapes_an_archive_is_refused(tmp_path: Path, name: str) -> None:
    assert "leads out of" in refusal(tmp_path, zipped(tmp_path / "logs.zip", {name: PROGRESS}))


def test_links_duplicates_and_zip_bombs_in_an_archive_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "logs.zip", {"progress.csv": PROGRESS})
    with zipfile.ZipFile(path, "a") as packed:
        link = zipfile.ZipInfo("monitor.csv")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(link, "/etc/passwd")
    assert "is a link" in refusal(tmp_path, path)
    assert "twice" in refusal(tmp_path, zipped(tmp_path / "twins.zip", {"a/b.csv": PROGRESS, "a\\b.csv": PROGRESS}))
    bomb = zipped(tmp_path / "bomb.zip", {"progress.csv": bytes(20_000_000)})
    assert "would use 20,000,000 bytes" in refusal(tmp_path, bomb, most_bytes=1_000_000)
    lying = bomb.read_bytes().replace(struct.pack("<I", 20_000_000), struct.pack("<I", 10))
    assert refusal(tmp_path, written(tmp_path / "lying.zip", lying), most_bytes=1_000_000)
    assert "cannot be unpacked" in refusal(tmp_path, written(tmp_path / "cut.zip", bomb.read_bytes()[-200:]))
    assert "not a complete zip archive" in refusal(tmp_path, written(tmp_path / "begun.zip", bomb.read_bytes()[:200]))
