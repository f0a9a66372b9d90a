"""Moving averages over episodes."""

from __future__ import annotations

import numpy as np

from rlviz.analysis.arrays import Floats


def moving_average(values: Floats, window: int) -> Floats:
    """Mean of each value and the ``window`` - 1 before it. Shape (n,), as ``values``.

    The first means are over as many values as there are, like Stable-Baselines3's ``rollout/ep_rew_mean``
    (with a window of 100). A NaN makes the means of the windows that hold it NaN, and no others.
    Raises ValueError if ``window`` is below 1.

    Sums of blocks from the left and from the right (van Herk, 1992,
    https://doi.org/10.1016/0167-8655(92)90069-C), since differences of one running sum lose digits.
    """
    if window < 1:
        raise ValueError(f"A moving average needs a window of at least 1, not {window}.")
    count = len(values)
    window = min(window, max(count, 1))
    padded = np.zeros(-(-count // window) * window)
    padded[:count] = values
    blocks = padded.reshape(-1, window)
    sums = np.cumsum(blocks, axis=1).ravel()[:count]
    tails = np.cumsum(blocks[:, ::-1], axis=1)[:, ::-1].ravel()
    starts = np.arange(count) - window + 1
    split = (starts > 0) & (starts % window > 0)
    sums[split] += tails[starts[split]]
    averages: Floats = sums / np.minimum(np.arange(1, count + 1), window)
    return averages
