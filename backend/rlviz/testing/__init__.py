"""Parts for tests and demos: a launcher whose workers replay recorded runs instead of training.

- ``scripted``: ``ScriptedLauncher`` and the ``Script`` that says how fast it replays and what goes wrong
- ``scripted_training``, ``scripted_evaluation``: what its workers write into a run folder
- ``recording``: the recorded runs, one for each algorithm; ``record`` trains them again
- ``demo``: gives a scripted service some runs, for ``make dev SCRIPTED=1``

``docs/contributing.md`` shows a test that uses it.
"""
