"""What can go wrong in an evaluation, in words that reach the person who asked for it.

RlvizError
└── EvaluationFailed
    ├── CheckpointUnusable   the policy file is missing, or is no policy
    ├── EpisodeUnusable      the environment handed out something that cannot be summed up
    └── VideoNotWritten      no picture, or the encoder gave up
"""

from __future__ import annotations

from rlviz.domain.errors import RlvizError


class EvaluationFailed(RlvizError):
    title = "Evaluation failed"


class CheckpointUnusable(EvaluationFailed):
    title = "Checkpoint cannot be used"


class EpisodeUnusable(EvaluationFailed):
    title = "Episode cannot be used"


class VideoNotWritten(EvaluationFailed):
    title = "Video was not written"
