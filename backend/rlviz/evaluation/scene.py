"""A scene: the frames of one policy's episode, filmed until something else is wanted more urgently."""

from __future__ import annotations

from collections.abc import Callable

from rlviz.evaluation.caption import Caption, MomentCaption
from rlviz.evaluation.growth import GrowthPicture
from rlviz.evaluation.interruption import Interruption
from rlviz.evaluation.recorder import VideoRecorder
from rlviz.recording.pictures import Pixels, check_picture


class Scene:
    """Takes the frames of one policy's episode until ``interruption`` raises: shows them to ``look``, draws ``overlay``
    on them, and films them."""

    def __init__(
        self,
        video: VideoRecorder,
        step: int,
        interruption: Interruption,
        look: Callable[[Pixels], None] | None = None,
        overlay: GrowthPicture | None = None,
    ) -> None:
        self._video, self._step, self._interruption = video, step, interruption
        self._look, self._overlay = look, overlay
        self._last: tuple[Pixels, MomentCaption] | None = None

    @property
    def frames(self) -> int:
        return self._video.frames

    def add(self, picture: object, caption: Caption) -> None:
        self._interruption.check(caption.step)
        pixels = check_picture(picture)
        if self._look is not None:
            self._look(pixels)
        if self._overlay is not None:
            pixels = self._overlay.draw(pixels)
        self._last = pixels, MomentCaption(self._step, caption.step, caption.episode_return)
        self._video.add(*self._last)

    def hold(self, frames: int) -> None:
        """Repeat the last frame so many times."""
        for _ in range(frames if self._last is not None else 0):
            assert self._last is not None
            self._video.add(*self._last)
