"""Playing a saved policy, filming it, and summarising its episodes. Runs in a worker process."""

from __future__ import annotations
