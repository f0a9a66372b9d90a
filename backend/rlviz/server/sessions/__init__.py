"""Live sessions: connect a session's worker to the client that watches it."""

from __future__ import annotations
