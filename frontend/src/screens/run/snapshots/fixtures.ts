import type { RunDetail, RunSnapshots, SnapshotInfo } from "@/api/types";

export const run = (change: Partial<RunDetail> = {}) =>
  ({
    ...{ id: "a", actor: "policy", status: "paused", policy_step: null, attempt: 1, step: 6_144 },
    total_timesteps: 10_240,
    config: { snapshots: { keep: 3, max_bytes: 2_000_000_000 } },
    ...change,
  }) as RunDetail;

export function snapshot(step: number, change: Partial<SnapshotInfo> = {}): SnapshotInfo {
  return {
    ...{ name: String(step), message: "", is_named: false, step, attempt: 1, trigger: "periodic" },
    ...{ time: "2026-11-22T12:00:00Z", bytes: 143_000, replay_bytes: 0, whole: true },
    ...{ problem: null, exact: true, not_exact_because: null, behind: false, inherited: false },
    verification: null,
    ...change,
  };
}

export const plan = { every_steps: null, every_seconds: 60, keep: 3, max_bytes: 2_000_000_000 };

export function list(...snapshots: SnapshotInfo[]): RunSnapshots {
  const usable = snapshots.filter(({ whole, behind }) => whole && !behind);
  return {
    ...{ run_id: "a", snapshots, newest: usable.at(-1)?.name ?? null },
    bytes: snapshots.reduce((sum, one) => sum + one.bytes, 0),
    ...{ spread_over_training: [], plan },
  };
}
