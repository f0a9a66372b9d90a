import type { ComparedRun, Comparison, ConfigDifference, Run } from "@/api/types";

/** A completed run as the API returns it. */
export function aRun(id: string, change: Partial<Run> = {}): Run {
  return {
    id,
    name: id.toUpperCase(),
    algo: "ppo",
    env_id: "CartPole-v1",
    status: "completed",
    created_at: "2026-01-01T00:00:00Z",
    started_at: "2026-01-01T00:00:00Z",
    ended_at: "2026-01-01T00:00:10Z",
    step: 50_000,
    total_timesteps: 50_000,
    policy_step: 50_000,
    ...change,
  } as Run;
}

export function compared(
  id: string,
  final: number,
  change: Partial<ComparedRun> = {},
  run: Partial<Run> = {},
): ComparedRun {
  return {
    run: aRun(id, run),
    y: [],
    episodes: 200,
    best_moving_average: final + 5,
    best_moving_average_step: 40_000,
    final_moving_average: final,
    steps_to_threshold: null,
    seconds_to_threshold: null,
    stability: 10,
    ...change,
  } as ComparedRun;
}

type Change = Partial<Omit<Comparison, "config_diff">> & {
  config_diff?: Pick<ConfigDifference, "path" | "values">[];
};

export function comparison(runs: ComparedRun[], change: Change = {}): Comparison {
  const config_diff = [{ path: "/hyperparameters/gamma", values: { a: 0.99, b: 0.98 } }];
  const logged = ["episode/reward"];
  return {
    threshold: 475,
    window: 20,
    steps: [],
    runs,
    logged,
    config_diff,
    ...change,
  } as Comparison;
}
