"""Exploration: counts of visited cells, rewards for coverage and novelty, and the wrapper that adds them in training.

Only workers import it, except for ``memory``. The environment's own return never includes these rewards.
"""
