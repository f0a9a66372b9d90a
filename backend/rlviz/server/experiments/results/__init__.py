"""From the trials of an experiment, and the journals of their runs, to results, exports and the report."""

from __future__ import annotations
