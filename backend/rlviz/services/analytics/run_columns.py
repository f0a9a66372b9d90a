"""The columns of ``runs`` and ``evaluations``: from which expression of the catalogue each is read."""

from __future__ import annotations

from rlviz.services.analytics.columns import ColumnAbout, Kind

_TRAINED = """(SELECT sum(json_extract(value, '$[1]') - json_extract(value, '$[0]')) FROM json_each(run.attempts)
 WHERE json_extract(value, '$[1]') IS NOT NULL)"""

_NEWEST_RETURN = """(SELECT return_mean FROM evaluation WHERE evaluation.run_id = run.id AND status = 'completed'
 ORDER BY created_at DESC LIMIT 1)"""


def _plain(name: str, kind: Kind, description: str) -> ColumnAbout:
    return ColumnAbout(name, kind, description, name)


def _return(name: str, description: str, source: str | None = None) -> ColumnAbout:
    return ColumnAbout(name, "number", description, source or name, is_return=True)


RUNS = (
    _plain("id", "text", "Id of the run."),
    _plain("name", "text", "What it is called."),
    _plain("algo", "text", "Algorithm, or who plays."),
    _plain("env_id", "text", "Environment."),
    _plain("preset", "text", "Preset that it was made with; null: none."),
    _plain("seed", "integer", "Seed of the training."),
    _plain("group_id", "text", "Shared by the runs that differ in their seed alone."),
    _plain("status", "text", "What it is doing."),
    _plain("cause", "text", "Why it ended; null: as planned, or it has not ended."),
    _plain("tags", "list", "Tags."),
    _plain("total_timesteps", "integer", "Environment steps to train for."),
    _plain("step", "integer", "Environment steps done."),
    _plain("episodes", "integer", "Episodes finished."),
    _plain("created_at", "time", "UTC."),
    _plain("started_at", "time", "UTC."),
    _plain("ended_at", "time", "UTC."),
    ColumnAbout(
        "ended_hour",
        "text",
        "Hour in which it ended, UTC.",
        "strftime('%Y-%m-%d %H:00', ended_at, 'unixepoch')",
    ),
    _plain("attempt", "integer", "Number of the newest attempt."),
    ColumnAbout("training_seconds", "number", "Seconds of training, of the attempts that have ended.", _TRAINED),
    _plain("fps", "number", "Environment steps a second."),
    _return("ep_rew_mean", "Mean return of the last 100 episodes."),
    _plain("ep_len_mean", "number", "Mean length of the last 100 episodes."),
    _return("best_moving_average", "Best average: the highest mean return of 20 episodes in a row."),
    _plain("best_moving_average_step", "integer", "Step at which it was reached."),
    _return(
        "best_policy_return",
        "Mean return of the best policy on fresh episodes.",
        "json_extract(best_policy, '$.mean_return')",
    ),
    _return("evaluation_return", "Mean return of the newest evaluation.", _NEWEST_RETURN),
    _return("reward_threshold", "Return at which the environment counts as solved."),
    ColumnAbout("solved", "truth", "Whether it was solved.", "solved_step IS NOT NULL"),
    _plain("solved_step", "integer", "Step at which it was solved."),
    _plain("solved_seconds", "number", "Seconds of training until it was solved."),
    _plain("warnings", "integer", "Number of warnings."),
    ColumnAbout("parent_id", "text", "Run that it was forked from.", "json_extract(parent, '$.run_id')"),
)

_SUMMARY = "json_extract(record, '$.summary.episode_return.{}')"

EVALUATIONS = (
    _plain("run_id", "text", "Id of the run."),
    _plain("id", "text", "Id of the evaluation, within its run."),
    _plain("status", "text", "What it is doing."),
    _plain("created_at", "time", "UTC."),
    _plain("return_mean", "number", "Mean return of its episodes."),
    ColumnAbout("return_std", "number", "Their population standard deviation.", _SUMMARY.format("std")),
    ColumnAbout("return_min", "number", "Lowest return.", _SUMMARY.format("min")),
    ColumnAbout("return_max", "number", "Highest return.", _SUMMARY.format("max")),
    _plain("length_mean", "number", "Mean length of its episodes."),
    ColumnAbout("episodes", "integer", "Episodes asked for.", "json_extract(record, '$.episodes')"),
    ColumnAbout("seed", "integer", "Seed of the first episode.", "json_extract(record, '$.seed')"),
    ColumnAbout("deterministic", "truth", "Whether it played greedily.", "json_extract(record, '$.deterministic')"),
    ColumnAbout("policy", "text", "latest or best.", "json_extract(record, '$.policy')"),
    ColumnAbout(
        "checkpoint_step", "integer", "Step of the policy that played.", "json_extract(record, '$.checkpoint_step')"
    ),
)

METRICS = (
    ColumnAbout("run_id", "text", "Id of the run."),
    ColumnAbout("name", "text", "Name of the metric, for instance episode/reward."),
    ColumnAbout("step", "number", "Environment step of the row."),
    ColumnAbout("time", "number", "Unix seconds."),
    ColumnAbout("value", "number", "NaN where the journal says null."),
)

RETURNS = frozenset(column.name for column in RUNS if column.is_return)
"""Columns of ``runs`` whose values mean something within one environment only."""

HYPERPARAMETER, OPTION = "hp_", "option_"
"""Beginnings of the columns of ``runs`` that hold the hyperparameters and the environment's options."""
