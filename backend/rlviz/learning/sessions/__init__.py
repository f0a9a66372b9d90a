"""Sessions: an actor (a policy, chance, a person) plays in a process of its own for somebody who looks."""

from __future__ import annotations
