"""From journals to browsers: feeds, broadcast of changes, cursors, and streams."""

from __future__ import annotations
