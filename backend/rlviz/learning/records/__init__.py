"""Step records as Parquet files: workers write them; the service reads, searches and exports them.

A file has a row for each state of an episode (see ``domain/recording.py``), and metadata to play the episodes again.
"""

from __future__ import annotations
