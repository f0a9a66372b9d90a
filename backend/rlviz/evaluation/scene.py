"""A scene: the frames of one policy's episode, filmed until something else is wanted more urgently."""

from __future__ import annotations

from collections.abc import Callable

from rlviz.domain.clips import ClipRequest
from rlviz.evaluation.caption import Caption, MomentCaption
from rlviz.evaluation.growth import GrowthPicture
from rlviz.evaluation.recorder import VideoRecorder
from rlviz.recording.pictures import Pixels, check_picture
from rlviz.rollout.episode import Env, Step
from rlviz.rundir.clips import Clips

LOOK_EVERY = 25
"""Steps to play between two checks for more urgent requests."""


class MoreUrgent(Exception):
    """Raised while an episode is played, when somebody waits for something else."""


class Interruption:
    """Raises MoreUrgent while an episode is played for ``request``, when that is overtaken. The request stays."""

    def __init__(self, clips: Clips, request: ClipRequest) -> None:
        self._clips, self._request = clips, request

    def wants_frame(self, step: Step) -> bool:
        return False

    def look(self, step: Step, picture: object) -> None:
        """Ignores frames, which are not rendered."""

    def add(self, step: Step, env: Env, seed: int) -> None:
        self.check(step.number)

    def check(self, step: int) -> None:
        """To be called with each step of an episode."""
        if step % LOOK_EVERY == 0 and self._clips.requests.is_overtaken(self._request):
            raise MoreUrgent


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
