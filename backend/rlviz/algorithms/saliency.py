"""Which pixels of what it saw a policy's choice hangs on: the gradient of a score with respect to the picture.

Vanilla gradients (Simonyan, Vedaldi and Zisserman, 2014: https://arxiv.org/abs/1312.6034), smoothed. Imports torch:
only workers import this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from rlviz.algorithms.policy import TrainedPolicy
from rlviz.algorithms.saliency_scores import Scorer
from rlviz.analysis.pictures import PictureLayout, salience
from rlviz.domain.registry import load
from rlviz.domain.saliency import Score


@dataclass(frozen=True, eq=False)
class Saliency:
    """``maps``: (pictures, height, width), from 0 to 1, of every picture that the observation is made of."""

    score: Score
    maps: NDArray[np.float64]


def saliency(policy: TrainedPolicy, observation: NDArray[Any], action: Any) -> Saliency | None:
    """How much each pixel of ``observation`` weighs in the score of ``action``, which the policy chose on it.

    No weight changes, and no generator is drawn from. None where the algorithm gives no score, or what it sees is no
    picture.
    """
    layout = PictureLayout.of(observation.shape)
    if policy.scorer is None or layout is None:
        return None
    scorer: Scorer = load(policy.scorer)
    policy.model.policy.set_training_mode(False)
    tensor: Any = policy.model.policy.obs_to_tensor(observation[np.newaxis])[0]
    seen = tensor.float().requires_grad_()
    with torch.enable_grad():
        score, number = scorer(policy.model, seen, policy.places(np.asarray(action)[np.newaxis]))
        (gradient,) = torch.autograd.grad(number.sum(), seen, allow_unused=True)
    found = np.zeros(seen.shape[1:]) if gradient is None else gradient[0].cpu().numpy()
    if found.shape != observation.shape:  # the library brings the channels to the front
        found = np.moveaxis(found, 0, -1)
    return Saliency(score, salience(layout.split(found)))
