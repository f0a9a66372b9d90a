"""Writes videos: MP4 files that every browser plays, encoded by ffmpeg frame by frame.

``VideoRecorder`` writes a file that is complete or absent. A frame is the environment's picture above a caption with
episode, step and return. Videos of other programs can be converted, and videos can be joined without encoding again.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple, Protocol, Self

import cv2
import imageio_ffmpeg
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from rlviz.domain.errors import VideoNotWritten
from rlviz.domain.evaluation import CAPTION_HEIGHT, VideoFacts
from rlviz.domain.plain_text import decode_text
from rlviz.learning.playing.recording import Pixels, check_picture, fit_picture
from rlviz.rundir.files import temporary_name

_PIPE_BYTES = 1 << 20
_DISK_FULL = (256 - errno.ENOSPC, 256 - errno.EDQUOT)  # ffmpeg exits with minus the error number
_TO_YUV = np.array(
    [[0.256788, 0.504129, 0.097906, 16], [-0.148223, -0.290993, 0.439216, 128], [0.439216, -0.367788, -0.071427, 128]],
    np.float32,
)
"""Coefficients of red, green, blue and 1 for Y, Cb and Cr by ITU-R BT.601, which range from 16 to 235 and 240."""

CODEC, PIXEL_FORMAT = "libx264", "yuv420p"
"""H.264 in the only pixel format that all browsers play."""

_PRESET = "ultrafast"  # on a drawn scene half the time of "medium", for about 1 MB a minute


class Encoder:
    """Encodes an MP4 file at ``path``, with any extension: H.264, yuv420p, index in front (``+faststart``).

    Call ``finish`` or ``abort`` once at the end. Frames go through a pipe and are not kept: ``write`` waits while
    ffmpeg is behind. Raises VideoNotWritten if ffmpeg fails.
    """

    def __init__(self, path: Path, *, width: int, height: int, fps: float) -> None:
        self._log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 -- an unread pipe could fill up
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
    """Yield Y, Cb and Cr of ``frame`` as yuv420p: Cb and Cr are means of four pixels.

    OpenCV takes a fraction of ffmpeg's time, and half as many bytes go through the pipe.
    """
    height, width = frame.shape[:2]
    yield np.asarray(cv2.cvtColor(frame, cv2.COLOR_RGB2YUV_I420), np.uint8)[:height]
    small = cv2.resize(frame, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    for plane in cv2.split(cv2.transform(small, _TO_YUV))[1:]:
        yield np.asarray(plane, np.uint8)


def _input(width: int, height: int, fps: float) -> list[str]:
    """Return ffmpeg's arguments for raw frames from standard input."""
    shape = {"-f": "rawvideo", "-pix_fmt": PIXEL_FORMAT, "-s": f"{width}x{height}", "-r": f"{fps:g}", "-i": "-"}
    return ["-y", "-hide_banner", "-nostats", "-loglevel", "error", *_words(shape)]


def browser_format(fps: float) -> list[str]:
    """Return ffmpeg's arguments for H.264 in an MP4, with a keyframe every two seconds for seeking."""
    options = {
        "-vcodec": CODEC,
        "-preset": _PRESET,
        "-pix_fmt": PIXEL_FORMAT,
        "-crf": "23",
        "-g": str(max(1, round(2 * fps))),
        # ffmpeg converts RGB with the BT.601 matrix; without this flag, players guess the matrix from the size
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


STRIP_HEIGHT = CAPTION_HEIGHT

MIN_WIDTH = 400
"""Width in pixels below which the three fields do not fit."""

BACKGROUND = 24
_FOREGROUND = 235
_FONT_SIZE = 16
_MARGIN = 10


class Text(Protocol):
    """The three fields of a frame's caption."""

    def fields(self) -> tuple[str, str, str]: ...


class Caption(NamedTuple):
    """The caption of a frame. ``step`` is 0 for the frame after the reset."""

    episode: int
    episodes: int
    step: int
    episode_return: float

    def fields(self) -> tuple[str, str, str]:
        return (
            f"Episode {self.episode}/{self.episodes}",
            f"Step {self.step}",
            f"Return {_number(self.episode_return)}",
        )


class MomentCaption(NamedTuple):
    """The caption of a frame in a clip, with the policy of ``policy_step``."""

    policy_step: int
    step: int
    episode_return: float

    def fields(self) -> tuple[str, str, str]:
        return f"After {self.policy_step:,}", f"Step {self.step}", f"Return {_number(self.episode_return)}"


class PlayedCaption(NamedTuple):
    """The caption of a frame of an episode that is being played by hand."""

    step: int
    episode_return: float

    def fields(self) -> tuple[str, str, str]:
        return "Played by hand", f"Step {self.step}", f"Return {_number(self.episode_return)}"


def _number(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 1e6 else f"{value:.4g}"


class CaptionStrip:
    """Draws captions into ``strip``, a (STRIP_HEIGHT, W, 3) view of the canvas with W ≥ MIN_WIDTH.

    A field is drawn again only when its text has changed, from glyphs that Pillow rendered once: some ten microseconds
    a frame.
    """

    def __init__(self, strip: Pixels) -> None:
        strip[:] = BACKGROUND
        width = strip.shape[1] - 2 * _MARGIN
        edges = [_MARGIN + width * part // 100 for part in (0, 37, 62, 100)]
        self._fields = [strip[:, left:right] for left, right in pairwise(edges)]
        self._texts = [""] * len(self._fields)

    def draw(self, caption: Text) -> None:
        for index, text in enumerate(caption.fields()):
            if text != self._texts[index]:
                _write(self._fields[index], text)
                self._texts[index] = text


def _write(field: Pixels, text: str) -> None:
    """Replace the text in ``field``; text that does not fit is cut off."""
    line = np.concatenate([_glyph(character) for character in text], axis=1)
    width = min(line.shape[1], field.shape[1])
    field[:, :width] = line[:, :width, np.newaxis]
    field[:, width:] = BACKGROUND


@cache
def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(_FONT_SIZE)


@cache
def _glyph(character: str) -> Pixels:
    """Draw ``character`` in grey levels, (STRIP_HEIGHT, advance). Digits have equal widths, so numbers stay put."""
    font = _font()
    image = Image.new("L", (round(font.getlength(character)), STRIP_HEIGHT), BACKGROUND)
    ImageDraw.Draw(image).text((0, (STRIP_HEIGHT - _FONT_SIZE) // 2 - 2), character, _FOREGROUND, font)
    return np.asarray(image)


MAX_HEIGHT = 720
"""Maximum height of a video frame in pixels, caption included. Higher pictures are scaled down."""


class Canvas:
    """An array for the frames of a video, ``pixels``, of shape (height, width, 3) with even numbers.

    Pictures of ``shape`` (H, W, 3) that are too high are scaled down with their aspect ratio. Pictures of odd sizes get
    a border, and also, if ``captioned``, those that are narrower than the caption.
    """

    def __init__(self, shape: tuple[int, ...], *, captioned: bool = True) -> None:
        self._shape = shape
        height, width = shape[:2]
        strip, least = (STRIP_HEIGHT, MIN_WIDTH) if captioned else (0, 0)
        room = MAX_HEIGHT - strip
        self._scaled = height > room
        if self._scaled:
            width, height = max(1, round(width * room / height)), room
        full = _even(max(width, least))
        left = (full - width) // 2
        self.pixels: Pixels = np.full((_even(height) + strip, full, 3), BACKGROUND, np.uint8)
        self._picture = self.pixels[:height, left : left + width]
        self._strip = CaptionStrip(self.pixels[-strip:]) if captioned else None

    @property
    def width(self) -> int:
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        return int(self.pixels.shape[0])

    def draw(self, picture: Pixels, caption: Text | None) -> Pixels:
        """Draw a frame over the last one. Raises VideoNotWritten if ``picture`` has another size than the first."""
        if picture.shape != self._shape:
            raise VideoNotWritten(
                f"The environment's picture changed from {self._shape} to {picture.shape} within the video; "
                "it must keep its size."
            )
        self._picture[:] = self._shrink(picture) if self._scaled else picture
        if self._strip is not None and caption is not None:
            self._strip.draw(caption)
        return self.pixels

    def _shrink(self, picture: Pixels) -> Pixels:
        height, width = self._picture.shape[:2]
        image = Image.fromarray(picture).resize((width, height), Image.Resampling.BILINEAR, reducing_gap=2.0)
        return np.asarray(image)


def _even(length: int) -> int:
    return length + length % 2


class VideoRecorder:
    """Films into ``path`` at ``fps`` frames per second. Frames are encoded as they arrive and not kept.

    The end of the block puts the complete, synced file at ``path``; an exception leaves no file. Raises VideoNotWritten
    if there was no frame, if a frame cannot be used, or if ffmpeg fails.
    """

    def __init__(self, path: Path, *, fps: float, fits: bool = False) -> None:
        """Start the video. ``fits``: scale pictures of another size to that of the first, instead of refusing them."""
        self.path, self.fps, self._fits = path, fps, fits
        self._size: tuple[int, int] | None = None
        self.frames = 0
        self._temporary = temporary_name(path)
        self._canvas: Canvas | None = None
        self._encoder: Encoder | None = None

    def __enter__(self) -> Self:
        return self

    def add(self, picture: object, caption: Text | None) -> None:
        """Append a frame: an (H, W, 3) array of bytes, of the same size as the others unless the video ``fits``.

        Either all frames have captions, or none.
        """
        pixels = check_picture(picture)
        self._size = self._size or (pixels.shape[0], pixels.shape[1])
        if self._fits:
            pixels = fit_picture(pixels, *self._size)
        if self._canvas is None or self._encoder is None:
            self._canvas = Canvas(pixels.shape, captioned=caption is not None)
            self._encoder = Encoder(self._temporary, width=self._canvas.width, height=self._canvas.height, fps=self.fps)
        self._encoder.write(self._canvas.draw(pixels, caption))
        self.frames += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._publish()
        except BaseException:
            self._discard()
            raise
        if error is not None:
            self._discard()

    def facts(self, file: str) -> VideoFacts:
        """Return the facts of the video after the end of the block. ``file`` is its path in them."""
        if self._canvas is None:
            raise VideoNotWritten("There is no video: no frame was recorded.")
        return VideoFacts(
            file=file,
            width=self._canvas.width,
            height=self._canvas.height,
            fps=self.fps,
            frames=self.frames,
            duration=self.frames / self.fps,
            size_bytes=self.path.stat().st_size,
        )

    def _publish(self) -> None:
        if self._encoder is None:
            raise VideoNotWritten("There is no video: no frame was recorded.")
        self._encoder.finish()
        with self._temporary.open("rb") as file:
            os.fsync(file.fileno())
        self._temporary.replace(self.path)

    def _discard(self) -> None:
        if self._encoder is not None:
            self._encoder.abort()
        self._temporary.unlink(missing_ok=True)


_STREAM = re.compile(
    r"Video: (?P<codec>\w+)\b.*?, (?P<pix_fmt>\w+)(?:\([^)]*\))?, (?P<width>\d+)x(?P<height>\d+)\b.*?"
    r"(?P<fps>[\d.]+k?) (?:fps|tbr)"
)
_COUNT = re.compile(r"frame=\s*(\d+)")


@dataclass(frozen=True)
class VideoProbe:
    """Facts of a video file. ``width`` and ``height`` are in pixels, ``fps`` in frames per second."""

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
    """Read the facts of a video file. Raises ValueError if it is not a complete video."""
    done = _ffmpeg("-i", str(path), "-map", "0:v:0", "-c", "copy", "-f", "null", "-")
    stream, counts = _STREAM.search(done.stderr), _COUNT.findall(done.stderr)
    if done.returncode != 0 or stream is None or not counts or int(counts[-1]) == 0:
        said = done.stderr.strip().splitlines()
        raise ValueError(f"{path} is not a readable video{f' ({said[-1][:200]})' if said else ''}.")
    return VideoProbe(
        codec=stream["codec"],
        pix_fmt=stream["pix_fmt"],
        width=int(stream["width"]),
        height=int(stream["height"]),
        fps=float(stream["fps"].replace("k", "e3")),
        frames=int(counts[-1]),
    )


def copy_for_browsers(source: Path, target: Path, *, name: str) -> VideoFacts:
    """Copy the video in ``source`` to ``target``, completely or not at all. ``name`` is its path in the facts.

    A video that browsers do not play, or that is higher than MAX_HEIGHT, is encoded again without sound. Raises
    ValueError if ``source`` is not a video, VideoNotWritten and OSError.
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


def join_videos(parts: Sequence[Path], path: Path) -> None:
    """Write the frames of all ``parts`` to ``path``, in order, without encoding them again.

    All parts must come from a VideoRecorder and have the same size and rate. Raises VideoNotWritten if ffmpeg fails,
    and OSError.
    """
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
        raise VideoNotWritten(f"The videos could not be joined: {decode_text(done.stderr).strip()[-300:]}")


def _quoted(path: Path) -> str:
    return str(path.absolute()).replace("'", r"'\''")


THUMBNAIL_WIDTH = 160
"""Width of the thumbnail of a video in pixels."""

_KEPT = 16
_OVERSIZE = 4
"""Frames are held at up to this multiple of the width. Only the chosen one is scaled down smoothly, because that takes
longer than copying."""
PLACE = 0.65
"""Position of the frame as a share of the episode: something has happened by then, and most failures come later."""


class Thumbnail:
    """Picks a frame of an episode of unknown length.

    It holds evenly spaced frames. When there are too many, it drops every second one and then takes half as many.
    """

    def __init__(self) -> None:
        self._frames: list[Pixels] = []
        self._shown, self._stride = 0, 1

    def show(self, picture: Pixels) -> None:
        if self._shown % self._stride == 0:
            every = max(1, picture.shape[1] // (_OVERSIZE * THUMBNAIL_WIDTH))
            self._frames.append(picture[::every, ::every].copy())
            if len(self._frames) > _KEPT:
                del self._frames[1::2]
                self._stride *= 2
        self._shown += 1

    def webp(self) -> bytes:
        image = Image.fromarray(self._frames[int((len(self._frames) - 1) * PLACE)])
        height = max(1, round(image.height * THUMBNAIL_WIDTH / image.width))
        file = BytesIO()
        image.resize((THUMBNAIL_WIDTH, height), Image.Resampling.BILINEAR).save(file, "WEBP", quality=60, method=2)
        return file.getvalue()
