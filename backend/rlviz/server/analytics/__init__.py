"""Questions over all runs: DuckDB over the catalogue and the metrics, in a process of its own
([decision 043](../../../../docs/decisions/043-analytics.md)).
"""

from __future__ import annotations
