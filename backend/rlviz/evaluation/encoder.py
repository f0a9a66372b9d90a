"""One ffmpeg process that turns raw frames into an MP4 that every browser plays."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import tempfile
from pathlib import Path

from moviepy.video.io.ffmpeg_writer import FFMPEG_VideoWriter

from rlviz.domain.errors import VideoNotWritten
from rlviz.evaluation.caption import Pixels

_PIPE_BYTES = 1 << 20
_DISK_FULL = (256 - errno.ENOSPC, 256 - errno.EDQUOT)  # ffmpeg ends with minus the error's number
_PRESET = "ultrafast"  # on a drawn scene half the time of "medium", for about 1 MB a minute


class Encoder:
    """H.264, yuv420p, index in front (``+faststart``), at ``path`` whatever its extension.

    Exactly one of ``finish`` and ``abort`` must follow. Frames go through a pipe and are not kept:
    ``write`` waits while ffmpeg is behind. Raises VideoNotWritten whenever ffmpeg gives up.
    """

    def __init__(self, path: Path, *, width: int, height: int, fps: float) -> None:
        self._log = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 -- a pipe nobody reads could fill up
        try:
            self._writer = FFMPEG_VideoWriter(
                str(path),
                (width, height),
                fps,
                # Called "libx264", moviepy would ask for yuva420p behind our back.
                codec="h264",
                preset=_PRESET,
                threads=1,  # more cost a quarter more processor time, and runs may be training next door
                logfile=self._log,
                ffmpeg_params=_arguments(fps),
            )
        except OSError as error:
            self._log.close()
            raise VideoNotWritten(f"ffmpeg cannot be started ({error}); install imageio-ffmpeg again.") from error
        self._process = self._writer.proc
        _widen(self._process.stdin.fileno())

    def write(self, frame: Pixels) -> None:
        """Hand over one (height, width, 3) frame."""
        try:
            self._writer.write_frame(frame)
        except (OSError, ValueError) as error:
            raise self._failure() from error

    def finish(self) -> None:
        """Wait until the file is complete."""
        try:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
            self._writer.close()
            if self._process.returncode != 0:
                raise self._failure()
        finally:
            self._log.close()

    def abort(self) -> None:
        """End ffmpeg at once; what it wrote is of no use. Safe to call after a failure."""
        self._process.kill()
        with contextlib.suppress(OSError):
            self._process.stdin.close()
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


def _arguments(fps: float) -> list[str]:
    """Output options, in words of ffmpeg. Every two seconds a frame that a player can jump to."""
    options = {
        "-loglevel": "error",
        "-vcodec": "libx264",
        "-pix_fmt": "yuv420p",
        "-crf": "23",
        "-g": str(max(1, round(2 * fps))),
        # ffmpeg converts RGB with the BT.601 matrix; unless told, players guess by the picture's height.
        "-x264-params": "colorprim=smpte170m:transfer=smpte170m:colormatrix=smpte170m",
        "-movflags": "+faststart",
        "-f": "mp4",
    }
    return ["-hide_banner", "-nostats", *(word for option in options.items() for word in option)]


def _widen(pipe: int) -> None:
    """Let a whole frame wait in the pipe, where the system allows it (Linux)."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
