"""Step records as Parquet files: workers write them; the service reads, searches and exports them.

A file has a row for each state of an episode, as ``domain/recording.py`` describes, and metadata that is needed to play
the episodes again.
"""

from __future__ import annotations
