"""A reading is what a policy computes from an observation besides its action, such as values and probabilities."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from numpy.typing import NDArray

Numbers = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Reading:
    """The reading of n observations, or of a single one without the first axis (see ``row``).

    A field is None if the algorithm does not compute it. Values are in the units that the policy learned in, which
    differ from the environment's if rewards were normalised.
    """

    value: Numbers | None = None
    """V(s), the return expected from here on, discounted: (n,)."""
    probabilities: Numbers | None = None
    """Probability of each action: (n, actions). MultiDiscrete: of all choices, one component after the other.
    MultiBinary: probability of a one."""
    mean: Numbers | None = None
    """Mean of a continuous action: (n, components). In the environment's units, unless ``squashed``."""
    deviation: Numbers | None = None
    """Standard deviation of the same Gaussian: (n, components)."""
    squashed: bool = False
    """Whether the Gaussian applies before the hyperbolic tangent that maps actions to −1 … 1, which are then scaled to
    the bounds of the action space (Haarnoja et al., 2018, appendix C)."""
    q_values: Numbers | None = None
    """Q(s, a) of each action: (n, actions)."""
    action_value: Numbers | None = None
    """Q(s, a) of the action that was taken; with several critics the minimum: (n,)."""
    quantiles: Numbers | None = None
    """Quantiles of the return of each action, whose mean is its Q-value: (n, quantiles, actions)."""

    def row(self, index: int) -> Reading:
        """Return the reading of one observation."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return Reading(
            **{name: value if value is None or name == "squashed" else value[index] for name, value in values.items()}
        )
