"""Evaluations: videos, episodes, records of steps, film, saliency and value slices."""
