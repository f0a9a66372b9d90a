"""Live sessions: an actor (a policy, random actions, a person) plays in a separate process for a viewer."""

from __future__ import annotations
