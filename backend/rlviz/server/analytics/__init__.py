"""Queries over all runs: DuckDB reads the catalogue and the metrics in a separate process
([decision 043](../../../../docs/decisions/043-analytics.md)).
"""

from __future__ import annotations
