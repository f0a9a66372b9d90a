"""Videos of other programs, brought into the form that every browser plays."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import imageio_ffmpeg

from rlviz.domain.errors import VideoNotWritten
from rlviz.domain.evaluation import VideoFacts
from rlviz.evaluation.canvas import MAX_HEIGHT
from rlviz.evaluation.encoder import browser_format
from rlviz.rundir.atomic import temporary_name

_STREAM = re.compile(
    r"Video: (?P<codec>\w+)\b.*?, (?P<pix_fmt>\w+)(?:\([^)]*\))?, (?P<width>\d+)x(?P<height>\d+)\b.*?"
    r"(?P<fps>[\d.]+k?) (?:fps|tbr)"
)
_COUNT = re.compile(r"frame=\s*(\d+)")


@dataclass(frozen=True)
class VideoProbe:
    """What a file holds. ``width`` and ``height`` in pixels, ``fps`` in frames a second."""

    codec: str
    pix_fmt: str
    width: int
    height: int
    fps: float
    frames: int

    @property
    def is_as_browsers_play_it(self) -> bool:
        return (self.codec, self.pix_fmt) == ("h264", "yuv420p") and self.height <= MAX_HEIGHT


def probe_video(path: Path) -> VideoProbe:
    """Raises ValueError for what is no video, or not yet a whole one."""
    done = _ffmpeg("-i", str(path), "-map", "0:v:0", "-c", "copy", "-f", "null", "-")
    stream, counts = _STREAM.search(done.stderr), _COUNT.findall(done.stderr)
    if done.returncode != 0 or stream is None or not counts or int(counts[-1]) == 0:
        said = done.stderr.strip().splitlines()
        raise ValueError(f"{path} is no video that can be read{f' ({said[-1][:200]})' if said else ''}.")
    return VideoProbe(
        codec=stream["codec"],
        pix_fmt=stream["pix_fmt"],
        width=int(stream["width"]),
        height=int(stream["height"]),
        fps=float(stream["fps"].replace("k", "e3")),
        frames=int(counts[-1]),
    )


def copy_for_browsers(source: Path, target: Path, *, name: str) -> VideoFacts:
    """Put the video in ``source`` at ``target``, whole or not at all; ``name`` is its path to note.

    What browsers do not play, and what is higher than MAX_HEIGHT, is encoded anew; sound is left out. Raises ValueError
    for what is no video, VideoNotWritten and OSError.
    """
    found = probe_video(source)
    beside = temporary_name(target)
    if found.is_as_browsers_play_it:
        how = ["-c:v", "copy", "-movflags", "+faststart", "-f", "mp4"]
    else:
        how = ["-vf", f"scale=-2:'trunc(min({MAX_HEIGHT},ih)/2)*2'", *browser_format(found.fps)]
    try:
        done = _ffmpeg("-y", "-i", str(source), "-map", "0:v:0", *how, str(beside))
        if done.returncode != 0:
            said = done.stderr.strip().splitlines()
            raise VideoNotWritten(
                f"ffmpeg could not copy {source.name}: {said[-1][:300] if said else 'no reason given'}"
            )
        written = probe_video(beside)
        with beside.open("rb") as file:
            os.fsync(file.fileno())
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
    return VideoFacts(
        file=name,
        width=written.width,
        height=written.height,
        fps=written.fps,
        frames=written.frames,
        duration=written.frames / written.fps,
        size_bytes=target.stat().st_size,
    )


def _ffmpeg(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-nostdin", "-hide_banner", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
