"""The video of two evaluations beside each other, with made-up frames and a real ffmpeg."""

from __future__ import annotations
