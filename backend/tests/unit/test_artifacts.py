"""Lookup of artifacts inside the run folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rlviz.domain.errors import ArtifactNotFound
from rlviz.rundir.folder import RunFolder, find_artifact


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    folder = RunFolder(tmp_path / "runs", "run-1")
    (folder.path / "eval").mkdir(parents=True)
    for name in ["config.json", "eval/eval_1.mp4", "eval/.eval_2.mp4.77.tmp", ".hidden", "a:b", "a\\b", "%2e%2e"]:
        (folder.path / name).write_text("inside")
    (tmp_path / "runs" / "run-2").mkdir()
    for outside in ["secret", "runs/rlviz.db", "runs/run-2/config.json"]:
        (tmp_path / outside).write_text("outside")
    (folder.path / ".git").mkdir()
    (folder.path / ".git" / "config").touch()
    (folder.path / "to_secret").symlink_to(tmp_path / "secret")
    (folder.path / "to_parent").symlink_to(tmp_path)
    (folder.path / "to_video").symlink_to("eval/eval_1.mp4")
    (folder.path / "to_nothing").symlink_to("nothing")
    (folder.path / "circle").symlink_to("circle")
    os.mkfifo(folder.path / "pipe")
    return folder


@pytest.mark.parametrize("name", ["config.json", "eval/eval_1.mp4", "%2e%2e"])
def test_files_of_the_run_are_found(folder: RunFolder, name: str) -> None:
    assert find_artifact(folder, name).read_text() == "inside"


def test_the_runs_folder_may_itself_be_a_link(folder: RunFolder, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "runs")
    assert find_artifact(RunFolder(tmp_path / "link", "run-1"), "config.json").read_text() == "inside"
    with pytest.raises(ArtifactNotFound):
        find_artifact(RunFolder(tmp_path / "link", "run-1"), "to_secret")


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "/",
        "../secret",
        "../rlviz.db",
        "../run-2/config.json",
        "../run-1/config.json",
        "eval/../config.json",
        "eval/../../../secret",
        "eval/..",
        "./config.json",
        "eval//eval_1.mp4",
        "eval/",
        "config.json/",
        "config.json/x",
        "/etc/passwd",
        "//etc/passwd",
        "%2e%2e/secret",
        "..%2fsecret",
        "%2e%2e%2fsecret",
        "..\\secret",
        "a\\b",
        "eval\\eval_1.mp4",
        "config.json\0",
        "config.json\0.mp4",
        "\0",
        "a:b",
        "C:/secret",
        "config.json::$DATA",
        ".hidden",
        ".git/config",
        "eval/.eval_2.mp4.77.tmp",
        "...",
        "eval",
        "pipe",
        "to_secret",
        "to_parent/secret",
        "to_parent",
        "to_nothing",
        "circle",
        "circle/x",
        "missing",
        "missing/" * 5000 + "x",
        "x" * 100_000,
        "\ud800",
        "~/secret",
        "config.json ",
        "\u2025/secret",
        "．．/secret",
    ],
)
def test_any_other_path_is_not_found(folder: RunFolder, name: str) -> None:
    with pytest.raises(ArtifactNotFound) as caught:
        find_artifact(folder, name)
    assert len(str(caught.value)) < 700
    assert caught.value.status == 404
