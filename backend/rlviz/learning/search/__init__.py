"""Hyperparameter search with Optuna: proposes values and prunes trials that fall behind.

The storage is Optuna's own journal in the experiment's folder, so ``optuna-dashboard`` can open it. Optuna is imported
only when a study is opened.
"""

from __future__ import annotations
