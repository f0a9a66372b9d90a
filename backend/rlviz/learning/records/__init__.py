"""Step records in a file: written by whoever plays, read, searched and handed out by the service.

A file of records is Parquet: a row for each state of an episode, as ``domain/recording.py`` says, and what has to be
known to play the episodes again in the file's metadata.
"""

from __future__ import annotations
