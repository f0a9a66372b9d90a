"""Videos put one after the other, without encoding them again."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import imageio_ffmpeg

from rlviz.domain.errors import VideoNotWritten
from rlviz.domain.text_encoding import decode


def join_videos(parts: Sequence[Path], path: Path) -> None:
    """Write the frames of all ``parts`` to ``path``, in order. All must come from a VideoRecorder, and be of one size
    and rate. Raises VideoNotWritten if ffmpeg gives up, and OSError."""
    names = path.with_suffix(".txt")
    names.write_bytes(b"".join(os.fsencode(f"file '{_quoted(part)}'\n") for part in parts))
    source = ["-f", "concat", "-safe", "0", "-i", str(names)]
    target = ["-c", "copy", "-movflags", "+faststart", "-f", "mp4", str(path)]
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-y", "-nostdin", "-hide_banner", "-loglevel", "error"]
    try:
        done = subprocess.run([*command, *source, *target], capture_output=True, check=False)
    finally:
        names.unlink()
    if done.returncode != 0:
        path.unlink(missing_ok=True)
        raise VideoNotWritten(f"The videos could not be joined: {decode(done.stderr).strip()[-300:]}")


def _quoted(path: Path) -> str:
    return str(path.absolute()).replace("'", r"'\''")
