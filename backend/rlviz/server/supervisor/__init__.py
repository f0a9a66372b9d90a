"""Starting workers, watching them, ending them, and taking up what an earlier service left."""

from __future__ import annotations
