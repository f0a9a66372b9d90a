"""What the agent saw of a step, for whoever asked to see that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlviz.algorithms.policy import TrainedPolicy
from rlviz.algorithms.saliency import saliency
from rlviz.analysis.pictures import PictureLayout, is_picture, side_by_side
from rlviz.domain.saliency import Score, SeenPictures


@dataclass(frozen=True, eq=False)
class Seen:
    """``pixels``: one picture as ``about`` describes it, (height, width) or with three colours."""

    about: SeenPictures
    pixels: NDArray[np.uint8]


def see(observation: Any, policy: TrainedPolicy | None = None, action: Any = None) -> Seen | None:
    """The pictures of ``observation``; with a ``policy``, how much each pixel weighs in its ``action`` on it. None if
    it is no picture."""
    if not isinstance(observation, np.ndarray) or not is_picture(observation.shape, observation.dtype):
        return None
    if (layout := PictureLayout.of(observation.shape)) is None:
        return None
    pixels = side_by_side(layout.split(observation))
    score: Score | None = None
    if policy is not None and (found := saliency(policy, observation, action)) is not None:
        score = found.score
        maps = side_by_side(np.rint(found.maps * 255).astype(np.uint8)[..., np.newaxis])
        pixels = np.concatenate([pixels, np.broadcast_to(maps, pixels.shape)])
    about = SeenPictures(pictures=layout.count, score=score)
    return Seen(about, np.ascontiguousarray(pixels[..., 0] if layout.colours == 1 else pixels))
