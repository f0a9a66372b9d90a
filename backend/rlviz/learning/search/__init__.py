"""Searching hyperparameters with Optuna: it proposes values, and gives up trials that fall behind.

Its storage is Optuna's own journal in the folder of the experiment, so that ``optuna-dashboard`` opens it. Optuna is
imported when a study is opened, never before.
"""

from __future__ import annotations
