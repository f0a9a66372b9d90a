"""The connection between the worker of a session and the client that watches it."""

from __future__ import annotations
