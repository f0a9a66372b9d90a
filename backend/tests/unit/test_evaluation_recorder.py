"""The video recorder, with synthetic frames and a real ffmpeg; PyAV decodes the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import av
import numpy as np
import psutil
import pytest

from rlviz.domain.errors import VideoNotWritten
from rlviz.domain.evaluation import VideoFacts
from rlviz.learning.playing.video import MAX_HEIGHT, STRIP_HEIGHT, Canvas, Caption, VideoRecorder


def pictures(count: int, height: int = 40, width: int = 60) -> Iterator[Any]:
    """Return grey pictures, each slightly lighter than the previous one."""
    for index in range(count):
        yield np.full((height, width, 3), index % 200, np.uint8)


def record(path: Path, frames: Iterable[Any], fps: float = 30) -> VideoFacts:
    with VideoRecorder(path, fps=fps) as recorder:
        for step, picture in enumerate(frames):
            recorder.add(picture, Caption(1, 1, step, float(step)))
    return recorder.facts(path.name)


def decode(path: Path) -> tuple[Any, list[Any]]:
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(stream)]
        facts = {
            "codec": stream.codec_context.name,
            "pix_fmt": stream.codec_context.pix_fmt,
            "fps": float(stream.average_rate or 0),
            "size": (stream.width, stream.height),
        }
    return facts, frames


def ffmpeg() -> psutil.Process:
    (process,) = (child for child in psutil.Process().children() if "ffmpeg" in child.name())
    return process


@pytest.mark.parametrize(("height", "width"), [(40, 60), (401, 601), (210, 160), (1, 1), (1080, 1920), (900, 333)])
def test_a_picture_of_any_size_gives_an_mp4_that_browsers_play(tmp_path: Path, height: int, width: int) -> None:
    path = tmp_path / "video.mp4"
    facts = record(path, pictures(7, height, width))
    stream, frames = decode(path)
    assert stream == {"codec": "h264", "pix_fmt": "yuv420p", "fps": 30.0, "size": (facts.width, facts.height)}
    assert facts.width % 2 == facts.height % 2 == 0
    assert facts.height <= MAX_HEIGHT
    assert len(frames) == facts.frames == 7
    assert (facts.codec, facts.pix_fmt) == ("h264", "yuv420p")
    assert facts.duration == pytest.approx(7 / 30)
    assert facts.size_bytes == path.stat().st_size


def test_the_index_comes_first_so_that_playback_starts_before_the_download_ends(tmp_path: Path) -> None:
    path = tmp_path / "video.mp4"
    record(path, pictures(20))
    content = path.read_bytes()
    assert 0 < content.index(b"moov") < content.index(b"mdat")


@pytest.mark.parametrize("fps", [4, 15, 29.97, 50])
def test_the_video_runs_at_the_given_rate(tmp_path: Path, fps: float) -> None:
    path = tmp_path / "video.mp4"
    record(path, pictures(12), fps)
    stream, frames = decode(path)
    assert stream["fps"] == pytest.approx(fps, abs=0.01)
    assert len(frames) == 12


def test_a_tall_picture_is_scaled_down_proportionally() -> None:
    canvas = Canvas((1384, 2000, 3))
    assert (canvas.width, canvas.height) == (1000, MAX_HEIGHT)


def test_encoded_pictures_keep_their_content(tmp_path: Path) -> None:
    picture = np.zeros((200, 400, 3), np.uint8)
    picture[:, :200] = (200, 40, 40)
    picture[:, 200:] = (40, 40, 200)
    path = tmp_path / "video.mp4"
    record(path, [picture] * 3)
    _, frames = decode(path)
    difference = np.abs(frames[-1][:200, :190].astype(int) - (200, 40, 40))
    assert difference.max() <= 12
    assert np.abs(frames[-1][:200, 210:].astype(int) - (40, 40, 200)).max() <= 12


def test_the_caption_is_drawn_below_the_picture_and_follows_the_step() -> None:
    canvas = Canvas((200, 600, 3))
    picture = np.full((200, 600, 3), 255, np.uint8)
    first = canvas.draw(picture, Caption(1, 5, 0, 0.0)).copy()
    second = canvas.draw(picture, Caption(1, 5, 1, 1.0)).copy()
    assert np.array_equal(first[:200], picture)
    assert first[200:].max() > 200, "light letters"
    assert not np.array_equal(first[200:], second[200:])
    again = Canvas((200, 600, 3)).draw(picture, Caption(1, 5, 1, 1.0))
    assert np.array_equal(second, again), "nothing of an earlier caption is left"


def test_a_caption_that_does_not_fit_is_cut_off() -> None:
    canvas = Canvas((10, 10, 3))
    shape = canvas.pixels.shape
    canvas.draw(np.zeros((10, 10, 3), np.uint8), Caption(10**9, 10**9, 10**30, -1e300))
    assert canvas.pixels.shape == shape
    assert shape[0] == 10 + STRIP_HEIGHT


def test_the_video_gets_its_name_only_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "video.mp4"
    with VideoRecorder(path, fps=30) as recorder:
        for picture in pictures(50):
            recorder.add(picture, Caption(1, 1, 0, 0.0))
        assert not path.exists()
        assert all(file.name.startswith(".") and file.suffix == ".tmp" for file in tmp_path.iterdir())
    assert [file.name for file in tmp_path.iterdir()] == ["video.mp4"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_exception_leaves_no_file_and_no_ffmpeg(tmp_path: Path, error: type[BaseException]) -> None:
    processes = []

    def interrupted() -> Iterator[Any]:
        yield from pictures(3)
        processes.append(ffmpeg())
        raise error

    with pytest.raises(error):
        record(tmp_path / "video.mp4", interrupted())
    assert list(tmp_path.iterdir()) == []
    assert not processes[0].is_running()


@pytest.mark.parametrize("frames_after", [0, 500], ids=["after the last frame", "midway"])
def test_a_crash_of_ffmpeg_is_reported_and_leaves_no_file(tmp_path: Path, frames_after: int) -> None:
    def fatal() -> Iterator[Any]:
        yield from pictures(20, 200, 400)
        ffmpeg().kill()
        yield from pictures(frames_after, 200, 400)

    with pytest.raises(VideoNotWritten, match="killed by signal 9"):
        record(tmp_path / "video.mp4", fatal())
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_ffmpeg_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(VideoNotWritten, match=r"ended with code \d+ .*No such file or directory"):
        record(tmp_path / "nowhere" / "video.mp4", pictures(300, 200, 400))


def test_a_recording_without_frames_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(VideoNotWritten, match="no frame"):
        record(tmp_path / "video.mp4", [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("picture", "match"),
    [
        (None, "NoneType"),
        (np.zeros((4, 4), np.uint8), r"\(4, 4\)"),
        (np.zeros((4, 4, 4), np.uint8), r"\(4, 4, 4\)"),
        (np.zeros((4, 4, 3), np.float32), "float32"),
        (np.zeros((0, 4, 3), np.uint8), r"\(0, 4, 3\)"),
    ],
)
def test_an_array_that_is_no_rgb_picture_is_refused_with_its_description(
    tmp_path: Path, picture: object, match: str
) -> None:
    with pytest.raises(VideoNotWritten, match=match):
        record(tmp_path / "video.mp4", [picture])
    assert list(tmp_path.iterdir()) == []


def test_a_picture_of_the_wrong_size_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VideoNotWritten, match="changed from"):
        record(tmp_path / "video.mp4", [*pictures(2, 40, 60), *pictures(1, 40, 62)])
