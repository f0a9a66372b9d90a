"""RL Gym Visualizer: train reinforcement-learning agents and watch them learn."""

__version__ = "0.1.0"
