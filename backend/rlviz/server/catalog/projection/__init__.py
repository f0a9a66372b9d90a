"""The projection: computes the catalogue's rows from the run folders."""

from __future__ import annotations
