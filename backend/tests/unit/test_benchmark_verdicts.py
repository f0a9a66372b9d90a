"""The verdicts of ``make bench`` against other tools."""

from __future__ import annotations

from benchmarks.peers import Measured, verdicts

FOUND = [
    Measured("rlviz", "on disk", 102.0, "MB"),
    Measured("rlviz", "one metric read cold", 40.0, "ms"),
    Measured("rlviz", "known to nobody else", 1.0, ""),
    Measured("tensorboard", "on disk", 74.0, "MB"),
    Measured("trackio", "on disk", 90.0, "MB"),
    Measured("trackio", "one metric read cold", 200.0, "ms"),
]


def test_each_figure_is_compared_with_the_best_of_the_others() -> None:
    assert [(found.what, found.met) for found in verdicts(FOUND)] == [
        ("on disk: behind (tensorboard 74 MB)", False),
        ("one metric read cold: leads (trackio 200 ms)", True),
    ]
