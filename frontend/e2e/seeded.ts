import { readFileSync } from "node:fs";
import path from "node:path";

export interface Seeded {
  good: string;
  slow: string;
  bare: string;
  stopped: string;
  failed: string;
  interrupted: string;
  created: string;
  unicode: string;
  hostile: string;
  acrobot: string;
  recorded: string;
  /** Runs with real policies and a filmstrip. */
  hare: string;
  tortoise: string;
  live: string[];
  /** Ended experiments: a comparison of ten runs, and a search. */
  small: string;
  search: string;
  /** Other experiments, for screenshots. */
  wide?: string;
  stopped_experiment?: string;
  methods?: string;
  failed_experiment?: string;
  damaged_experiment?: string;
}

/** Ids of the runs that `seed.py` wrote, by purpose. */
export function seeded(): Seeded {
  const folder = process.env.RLVIZ_E2E_RUNS;
  if (!folder) throw new Error("RLVIZ_E2E_RUNS names the seeded runs folder");
  return JSON.parse(readFileSync(path.join(folder, "seeded.json"), "utf8")) as Seeded;
}

export const runPage = (id: string, tab?: string) =>
  `/runs/view?id=${id}${tab ? `&tab=${tab}` : ""}`;
export const experimentPage = (id = "") => `/experiments/view?id=${id}`;
export const comparePage = (...ids: string[]) => `/compare?runs=${ids.join(",")}`;
