"""Caches the features that image networks compute, so that each observation passes the network once.

Most of the time of an image policy is spent in that network. Choosing an action, reading the value and reading the
distribution all use the same features. Imports torch and Stable-Baselines3, so only workers may import it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, CombinedExtractor, FlattenExtractor

Features = Mapping[int, torch.Tensor]
"""The features of one observation, each of shape (1, n), by the index of the network within the policy."""


class FeatureMemory:
    """Records and reuses the features of a policy's image networks.

    ``newest`` holds the features of the most recent observations that the policy processed inside a ``record_newest``
    block.
    """

    def __init__(self, policy: Any) -> None:
        """Find the image networks of ``policy``, the policy of a Stable-Baselines3 model, if it has any."""
        modules = policy.modules() if isinstance(policy, torch.nn.Module) else ()
        cheap = FlattenExtractor | CombinedExtractor
        self._extractors = [
            one for one in modules if isinstance(one, BaseFeaturesExtractor) and not isinstance(one, cheap)
        ]
        self.newest: Features = {}

    @contextmanager
    def record_newest(self) -> Iterator[None]:
        """Keep ``newest`` up to date within the block."""
        with ExitStack() as hooks:
            for place, extractor in enumerate(self._extractors):
                hooks.enter_context(extractor.register_forward_hook(self._note(place)))
            yield

    @contextmanager
    def compute_once(self, known: Sequence[Features]) -> Iterator[None]:
        """Inside the block, compute each network's features once and reuse them. All calls in the block must get the
        same observations.

        Args:
            known: The recorded features of each observation; empty for an observation without any. An empty sequence
                if there are none at all.
        """
        for place, extractor in enumerate(self._extractors):
            extractor.forward = _Once(extractor.forward, [one.get(place) for one in known])
        try:
            yield
        finally:
            for extractor in self._extractors:
                del extractor.forward  # uncovers the method of the class

    def _note(self, place: int) -> Callable[[Any, Any, torch.Tensor], None]:
        def note(_module: Any, _arguments: Any, features: torch.Tensor) -> None:
            self.newest = {**self.newest, place: features.detach()}

        return note


class _Once:
    """Replaces a network's ``forward``: the first call computes the unknown features, later ones reuse them."""

    def __init__(self, forward: Callable[[torch.Tensor], torch.Tensor], known: Sequence[torch.Tensor | None]) -> None:
        self._forward, self._known = forward, known
        self._made: torch.Tensor | None = None

    def __call__(self, observations: torch.Tensor) -> torch.Tensor:
        if self._made is None:
            self._made = self._make(observations)
        return self._made

    def _make(self, observations: torch.Tensor) -> torch.Tensor:
        found = [(row, features) for row, features in enumerate(self._known) if features is not None]
        if not found:
            return self._forward(observations)
        computed = torch.empty((len(self._known), found[0][1].shape[1]), dtype=found[0][1].dtype)
        computed[[row for row, _ in found]] = torch.cat([features for _, features in found])
        missing = [row for row, features in enumerate(self._known) if features is None]
        if missing:
            computed[missing] = self._forward(observations[missing])
        return computed
