"""Encoder: an ffmpeg process that turns raw frames into an MP4 that every browser plays."""

from __future__ import annotations

import contextlib
import errno
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import cv2
import imageio_ffmpeg
import numpy as np

from rlviz.domain.errors import VideoNotWritten
from rlviz.recording.pictures import Pixels

_PIPE_BYTES = 1 << 20
_DISK_FULL = (256 - errno.ENOSPC, 256 - errno.EDQUOT)  # ffmpeg exits with minus the error number
_TO_YUV = np.array(
    [[0.256788, 0.504129, 0.097906, 16], [-0.148223, -0.290993, 0.439216, 128], [0.439216, -0.367788, -0.071427, 128]],
    np.float32,
)
"""Y, Cb and Cr of red, green, blue and 1 by ITU-R BT.601, from 16 to 235 and 240."""

CODEC, PIXEL_FORMAT = "libx264", "yuv420p"
"""H.264, in the one format of pixels that all browsers play."""

_PRESET = "ultrafast"  # on a drawn scene half the time of "medium", for about 1 MB a minute


class Encoder:
    """H.264, yuv420p, index in front (``+faststart``), at ``path`` whatever its extension.

    Exactly one of ``finish`` and ``abort`` must follow. Frames go through a pipe and are not kept:
    ``write`` waits while ffmpeg is behind. Raises VideoNotWritten whenever ffmpeg gives up.
    """

    def __init__(self, path: Path, *, width: int, height: int, fps: float) -> None:
        self._log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 -- a pipe nobody reads could fill up
        try:
            self._process = subprocess.Popen(
                [imageio_ffmpeg.get_ffmpeg_exe(), *_input(width, height, fps), *browser_format(fps), str(path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._log,
            )
        except (OSError, RuntimeError) as error:
            self._log.close()
            raise VideoNotWritten(f"ffmpeg cannot be started ({error}); install imageio-ffmpeg again.") from error
        assert self._process.stdin is not None
        self._frames: IO[bytes] = self._process.stdin
        _widen(self._frames.fileno())

    def write(self, frame: Pixels) -> None:
        """Write one (height, width, 3) frame."""
        try:
            for plane in _planes(frame):
                self._frames.write(np.ascontiguousarray(plane).data)
        except (OSError, ValueError) as error:
            raise self._failure() from error

    def finish(self) -> None:
        """Wait until the file is complete."""
        try:
            with contextlib.suppress(BrokenPipeError):
                self._frames.close()
            if self._process.wait() != 0:
                raise self._failure()
        finally:
            self._log.close()

    def abort(self) -> None:
        """End ffmpeg at once and discard its output. Safe to call after a failure."""
        self._process.kill()
        with contextlib.suppress(OSError):
            self._frames.close()
        self._process.wait()
        self._log.close()

    def _failure(self) -> VideoNotWritten:
        code = self._process.wait()
        self._log.seek(0)
        said = self._log.read().strip().splitlines()
        if code in _DISK_FULL:
            return VideoNotWritten("No space left on the disk for the video; free some and evaluate again.")
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        reason = f": {said[-1][:300]}" if said else ""
        return VideoNotWritten(f"ffmpeg {how} before the video was complete{reason}; evaluate again.")


def _planes(frame: Pixels) -> Iterator[Pixels]:
    """Y, Cb and Cr of ``frame``, the latter two the mean of four pixels each: yuv420p. OpenCV makes them in a fraction
    of the time that ffmpeg takes, and half as many bytes go through the pipe."""
    height, width = frame.shape[:2]
    yield np.asarray(cv2.cvtColor(frame, cv2.COLOR_RGB2YUV_I420), np.uint8)[:height]
    small = cv2.resize(frame, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    for plane in cv2.split(cv2.transform(small, _TO_YUV))[1:]:
        yield np.asarray(plane, np.uint8)


def _input(width: int, height: int, fps: float) -> list[str]:
    """Arguments for raw frames from standard input."""
    shape = {"-f": "rawvideo", "-pix_fmt": PIXEL_FORMAT, "-s": f"{width}x{height}", "-r": f"{fps:g}", "-i": "-"}
    return ["-y", "-hide_banner", "-nostats", "-loglevel", "error", *_words(shape)]


def browser_format(fps: float) -> list[str]:
    """Arguments for H.264 in an MP4, with a keyframe every two seconds for seeking."""
    options = {
        "-vcodec": CODEC,
        "-preset": _PRESET,
        "-pix_fmt": PIXEL_FORMAT,
        "-crf": "23",
        "-g": str(max(1, round(2 * fps))),
        # ffmpeg converts RGB with the BT.601 matrix; players guess by the size unless told
        "-x264-params": "colorprim=smpte170m:transfer=smpte170m:colormatrix=smpte170m",
        "-movflags": "+faststart",
        "-threads": "1",  # more threads cost a quarter more processor time, and runs may be training at the same time
        "-f": "mp4",
    }
    return _words(options)


def _words(options: dict[str, str]) -> list[str]:
    return [word for option in options.items() for word in option]


def _widen(pipe: int) -> None:
    """Enlarge the pipe to hold a whole frame, where the system allows it."""
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
