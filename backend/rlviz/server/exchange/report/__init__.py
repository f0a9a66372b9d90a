"""The report of a run: one HTML file with its curve, its film, its settings and how to repeat it."""
