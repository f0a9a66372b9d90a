"""The word that stands for a choice by measurement."""

RECOMMENDED = "recommended"
"""In the place of an algorithm or a preset: the one that was measured to work (``rlviz.presets.recommended``)."""
