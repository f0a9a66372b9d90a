"""The tables and views in PostgreSQL, in a schema of their own."""

from __future__ import annotations

VERSION = 2
SCHEMA = "rlviz"

TABLES = f"""
CREATE SCHEMA IF NOT EXISTS {SCHEMA};
CREATE TABLE IF NOT EXISTS {SCHEMA}.about (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version integer NOT NULL
);
CREATE TABLE IF NOT EXISTS {SCHEMA}.run (
    id text PRIMARY KEY,
    machine text NOT NULL,
    fingerprint text NOT NULL,
    ingested_at timestamptz NOT NULL DEFAULT now(),
    name text NOT NULL,
    algo text NOT NULL,
    env_id text NOT NULL,
    preset text,
    seed bigint NOT NULL,
    group_id text NOT NULL,
    parent_id text,
    experiment_id text,
    experiment_variant text,
    status text NOT NULL,
    cause text,
    tags text[] NOT NULL,
    total_timesteps bigint NOT NULL CHECK (total_timesteps >= 0),
    step bigint NOT NULL CHECK (step >= 0),
    episodes bigint NOT NULL CHECK (episodes >= 0),
    created_at timestamptz NOT NULL,
    started_at timestamptz,
    ended_at timestamptz,
    fps double precision,
    ep_rew_mean double precision,
    best_moving_average double precision,
    best_policy_return double precision,
    reward_threshold double precision,
    solved_step bigint,
    solved_seconds double precision,
    hyperparameters jsonb NOT NULL,
    env_options jsonb NOT NULL,
    points bigint NOT NULL CHECK (points >= 0)
);
CREATE INDEX IF NOT EXISTS run_comparison ON {SCHEMA}.run (env_id, algo, preset);
CREATE TABLE IF NOT EXISTS {SCHEMA}.evaluation (
    run_id text NOT NULL REFERENCES {SCHEMA}.run ON DELETE CASCADE,
    id text NOT NULL,
    status text NOT NULL,
    created_at timestamptz NOT NULL,
    return_mean double precision,
    length_mean double precision,
    record jsonb NOT NULL,
    PRIMARY KEY (run_id, id)
);
CREATE TABLE IF NOT EXISTS {SCHEMA}.metric (
    run_id text NOT NULL REFERENCES {SCHEMA}.run ON DELETE CASCADE,
    name text NOT NULL,
    step double precision NOT NULL,
    time double precision NOT NULL,
    value double precision
);
CREATE INDEX IF NOT EXISTS metric_of_run ON {SCHEMA}.metric (run_id, name, step);
"""

UPGRADES = {
    2: f"""
ALTER TABLE {SCHEMA}.run
    DROP CONSTRAINT IF EXISTS run_total_timesteps_check,
    ADD CHECK (total_timesteps >= 0),
    ADD COLUMN IF NOT EXISTS parent_id text,
    ADD COLUMN IF NOT EXISTS experiment_id text,
    ADD COLUMN IF NOT EXISTS experiment_variant text;
""",
}
"""Tables that an earlier version made, brought to the version named. What is new in them is filled by the next ingest:
``source.fingerprint`` changes with the version."""

_FIGURES = """count(*) AS runs,
    count(DISTINCT seed) AS seeds,
    count(*) FILTER (WHERE solved_step IS NOT NULL) AS solved,
    avg(best_moving_average) AS mean_return,
    stddev_samp(best_moving_average) AS std_return,
    percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY best_moving_average) AS quartiles,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY solved_step) AS median_solved_step,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY fps) AS median_fps"""

_COMPARISONS = {
    "by_algorithm": "env_id, algo",
    "by_environment": "env_id",
    "by_preset": "env_id, algo, preset",
    "by_group": "env_id, algo, preset, group_id",
    "by_experiment": "experiment_id, experiment_variant, env_id, algo",
    "by_hour": "date_trunc('hour', ended_at, 'UTC') AS hour, env_id, algo",
}

VIEWS = "".join(
    f"CREATE OR REPLACE VIEW {SCHEMA}.{name} AS SELECT {columns}, {_FIGURES} FROM {SCHEMA}.run "
    f"WHERE status = 'completed' {'AND experiment_id IS NOT NULL' if name == 'by_experiment' else ''} "
    f"GROUP BY {', '.join(columns.rsplit(' AS ')[-1].split(', '))};\n"
    for name, columns in _COMPARISONS.items()
)

INTEGRITY = {
    "runs whose number of points differs from what was read": f"SELECT id FROM {SCHEMA}.run WHERE points <> "
    f"(SELECT count(*) FROM {SCHEMA}.metric WHERE run_id = run.id)",
    "runs that end before they begin": f"SELECT id FROM {SCHEMA}.run WHERE ended_at < started_at",
    "runs solved after their last step": f"SELECT id FROM {SCHEMA}.run WHERE solved_step > step",
    "completed evaluations without a return": f"SELECT run_id || '/' || id FROM {SCHEMA}.evaluation "
    "WHERE status = 'completed' AND return_mean IS NULL",
}
"""What must not be there, each as a query for the ids."""
