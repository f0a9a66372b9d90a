"""Strips of observed pictures, within a size limit."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from rlviz.domain.evaluation import PicturesFacts
from rlviz.learning.playing.recording import PICTURES_A_STRIP, PictureStrips
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.retention import retain_videos
from rlviz.stats.pictures import PictureLayout


def kept(path: Path, observations: list[Any], max_bytes: int = 10**9) -> PicturesFacts:
    layout = PictureLayout.from_shape(observations[0].shape)
    assert layout is not None
    with PictureStrips(path, path.parent, layout, max_bytes=max_bytes) as strips:
        for observation in observations:
            strips.add(observation)
    return strips.facts("x")


def noise(count: int, *shape: int) -> list[Any]:
    return list(np.random.default_rng(0).integers(0, 256, (count, *shape), np.uint8))


@pytest.mark.parametrize("shape", [(4, 36, 48), (36, 48, 3), (36, 48, 6)], ids=["a stack", "colours", "both"])
def test_the_newest_picture_of_each_observation_is_kept(tmp_path: Path, shape: tuple[int, ...]) -> None:
    observations = noise(PICTURES_A_STRIP + 3, *shape)
    facts = kept(tmp_path / "x.zip", observations)
    assert (facts.pictures, facts.cut) == (len(observations), False)
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        assert archive.namelist() == ["0.png", "1.png"]
        strip = np.asarray(Image.open(io.BytesIO(archive.read("1.png"))))
    newest = observations[-1][-1] if shape[0] == 4 else observations[-1][..., -3:]
    np.testing.assert_array_equal(strip[-36:], newest)
    assert len(strip) == 3 * 36


def test_pictures_beyond_the_size_limit_are_left_out_and_reported(tmp_path: Path) -> None:
    facts = kept(tmp_path / "x.zip", noise(10 * PICTURES_A_STRIP, 1, 36, 48), max_bytes=150_000)
    assert facts.cut
    assert facts.pictures == 2 * PICTURES_A_STRIP
    assert facts.size_bytes < 300_000


def test_a_strip_holds_fewer_large_pictures(tmp_path: Path) -> None:
    facts = kept(tmp_path / "x.zip", noise(5, 600, 800, 3))
    assert facts.pictures_a_strip == 2
    assert facts.pictures == 5


def test_a_failure_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="reshape"):
        kept(tmp_path / "x.zip", [*noise(1, 1, 36, 48), *noise(1, 1, 5, 5)])
    assert list(tmp_path.iterdir()) == []


def test_only_the_newest_picture_files_are_kept(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, "a-run")
    folder.evaluations.path.mkdir(parents=True)
    ids = [f"eval_20261121-01440{n}-000" for n in range(4)]
    for evaluation_id in ids:
        folder.evaluations.pictures_path(evaluation_id).write_bytes(b"x")
    retain_videos(folder, 3)
    kept = [folder.evaluations.pictures_path(evaluation_id).exists() for evaluation_id in ids]
    assert kept == [
        False,
        True,
        True,
        True,
    ]
