"""What a policy makes of what it sees, besides the action that it takes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from numpy.typing import NDArray

Numbers = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Reading:
    """Of n observations, or of one if it is a ``row``: then without the first axis. None: its algorithm has no such
    thing. All figures are in the units that the policy learned in, which are not the environment's where rewards were
    normalised.
    """

    value: Numbers | None = None
    """V(s), the return expected from here on, discounted: (n,)."""
    probabilities: Numbers | None = None
    """Of each action: (n, actions). MultiDiscrete: those of all its choices, one choice after the other. MultiBinary:
    how probable a one is."""
    mean: Numbers | None = None
    """Of a continuous action: (n, numbers). In the environment's units, unless ``squashed``."""
    deviation: Numbers | None = None
    """Standard deviation of the same Gaussian: (n, numbers)."""
    squashed: bool = False
    """The Gaussian lies before the hyperbolic tangent that brings actions to −1 … 1, to be stretched to the action
    space's bounds (Haarnoja et al., 2018, appendix C)."""
    q_values: Numbers | None = None
    """Q(s, a) of each action: (n, actions)."""
    action_value: Numbers | None = None
    """Q(s, a) of the action that was taken, the least of several critics': (n,)."""
    quantiles: Numbers | None = None
    """Of the return of each action, whose mean is its Q-value: (n, quantiles, actions)."""

    def row(self, index: int) -> Reading:
        """That of one observation."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return Reading(
            **{name: value if value is None or name == "squashed" else value[index] for name, value in values.items()}
        )
