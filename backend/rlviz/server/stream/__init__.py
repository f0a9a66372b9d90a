"""Server-sent events: streams of new rows and changes to browsers."""

from __future__ import annotations
