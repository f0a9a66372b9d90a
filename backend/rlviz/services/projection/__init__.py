"""Projection: from run folders to rows of the catalogue."""
