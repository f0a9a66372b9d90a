"""Made: how a figure was made, for whoever wants to know before they believe it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from pydantic import ConfigDict, Field

from rlviz.analysis.statistics.bootstrap import CONFIDENCE, FEWEST_SCORES
from rlviz.domain.lazy_model import LazyModel

AGARWAL = "Agarwal et al. 2021, https://arxiv.org/abs/2108.13264"
KAPLAN_MEIER = "Kaplan and Meier 1958; intervals by Greenwood's formula on the log-log scale"
HYNDMAN_FAN = "Hyndman and Fan 1996, definition 7, as in NumPy"
OUR_PAGE = "docs/experiments.md"


class Frozen(LazyModel):
    """Base of all that results consist of."""

    model_config = ConfigDict(frozen=True)


class Made(Frozen):
    """How a figure was made."""

    definition: str = Field(description="What it is, in a sentence.")
    n: int = Field(description="How many scores, pairs or seeds it was made from.")
    resamples: int | None = Field(None, description="Resamples of its bootstrap interval; null: it has none.")
    confidence: float | None = Field(None, description="Share that its interval is made for, as 0.95.")
    source: str = Field(description="Where the definition comes from.")


def made_of_curve(what: str, seeds: int, resamples: int) -> Made:
    """Of a curve over seeds with its band (``banded_curve``). ``what``: whose interquartile mean it is."""
    has_interval = seeds >= FEWEST_SCORES
    return Made(
        definition=f"At each step the interquartile mean of {what}, with the interval of a bootstrap over whole "
        "curves. It stops at the last step that all of its seeds have reached.",
        n=seeds,
        resamples=resamples if has_interval else None,
        confidence=CONFIDENCE if has_interval else None,
        source=AGARWAL,
    )


def returns_of_training(episodes: int) -> str:
    """What a moving average over ``episodes`` is, in words."""
    return f"the mean return of the last {episodes} episodes of training"


def numbers(values: ArrayLike) -> list[float | None]:
    """An array of shape (n,) as JSON has it: null for what is not finite."""
    found = np.asarray(values, dtype=np.float64)
    return [float(value) if np.isfinite(value) else None for value in found]
