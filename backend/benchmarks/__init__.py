"""Measures speed and learning. ``make bench`` runs the speed part; presets take longer and are measured by hand."""
