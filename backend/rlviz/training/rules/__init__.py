"""Rules: conditions are watched, and actions done, while a run trains.

``trackers`` says when a condition is true, ``engine`` which rules fire and what they decide, both pure: they see rows
and clocks, and touch nothing. ``dry_run`` runs the engine over a journal. What the actions do to training is the
business of ``rlviz.training.steering``.
"""
