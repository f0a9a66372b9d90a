"""Measures the presets with experiments; see ``__main__``."""
