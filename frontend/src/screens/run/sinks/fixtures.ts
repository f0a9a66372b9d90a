import type { OfferedSink, RunSink } from "@/api/types";

export const mlflow: OfferedSink = {
  kind: "mlflow",
  label: "MLflow",
  install: null,
  place: "http://tracking:5000, experiment rlviz",
  note: null,
};

/** Of MLflow, which has all of a run of 30 rows. */
export const sink = (change: Partial<RunSink> = {}): RunSink => ({
  kind: "mlflow",
  label: "MLflow",
  live: true,
  state: "delivered",
  place: "http://tracking:5000/#/experiments/1/runs/2",
  offline: false,
  renamed: {},
  rows: 30,
  step: 61_440,
  waiting_bytes: 0,
  problem: null,
  attempts: 0,
  under_way: false,
  next_try_at: null,
  updated_at: 1,
  ...change,
});
