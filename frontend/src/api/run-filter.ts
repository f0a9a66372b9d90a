import { searchOf } from "@/lib/query-string";
import type { RunFilter } from "./runs";
import type { RunStatus } from "./types";

/** All statuses of a run, in the order of its life. */
export const RUN_STATUSES = [
  "created",
  "queued",
  "starting",
  "running",
  "pausing",
  "paused",
  "stopping",
  "completed",
  "stopped",
  "failed",
  "interrupted",
] as const satisfies readonly RunStatus[];

/** The columns that are sorted by without reading settings or metrics, with the direction of each when it is first selected. */
export const SORTS = {
  created_at: "desc",
  name: "asc",
  algo: "asc",
  env_id: "asc",
  preset: "asc",
  status: "asc",
  step: "desc",
  total_timesteps: "desc",
  best_moving_average: "desc",
  fps: "desc",
} as const satisfies Record<string, "asc" | "desc">;

/** One of SORTS, a setting or figure of the run, or `metric:` and a metric. */
export type SortKey = string;

/** A column of the service's table of runs, or a metric. */
const EXTRA_SORT =
  /^(?:metric:[\w./-]{1,120}|[a-z]+_[\w.-]{1,80}|seed|episodes|warnings|tags|cause|attempt|solved)$/;

export interface Sort {
  key: SortKey;
  descending: boolean;
}

/** State of the list of runs. All of it is in the address, so that it can be shared. */
export interface ListFilter {
  text: string;
  status: readonly RunStatus[];
  algo: readonly string[];
  env_id: readonly string[];
  tag: readonly string[];
  sort: Sort;
  /** Whether the seeds of a group are lines of their own. */
  apart: boolean;
  /** Whether the trials of experiments are listed. */
  trials: boolean;
}

export const CHOSEN = ["status", "algo", "env_id", "tag"] as const;
export type Chosen = (typeof CHOSEN)[number];

export const NEWEST_FIRST: Sort = { key: "created_at", descending: true };

/** The parts of a filter that can exclude runs, all empty. */
export const NO_FILTER = { text: "", status: [], algo: [], env_id: [], tag: [] } as const;

export const EVERYTHING: ListFilter = {
  ...NO_FILTER,
  sort: NEWEST_FIRST,
  apart: false,
  trials: false,
};

const PLAIN_SORT = "-created_at";

export function readListFilter(query: URLSearchParams): ListFilter {
  const all = (name: Chosen) => [...new Set(query.getAll(name).filter((value) => value !== ""))];
  return {
    text: query.get("q") ?? "",
    status: all("status").filter(isStatus),
    algo: all("algo"),
    env_id: all("env_id"),
    tag: all("tag"),
    sort: readSort(query.get("sort") ?? PLAIN_SORT),
    apart: query.get("seeds") === "apart",
    trials: query.get("trials") === "shown",
  };
}

/** The parts of an address that filter or sort the list. */
export const LIST_KEYS: readonly string[] = ["q", ...CHOSEN, "sort", "seeds", "trials"];

/** Writes into `query`, whose other parts stay; values that are empty or default are left out. */
export function writeListFilter(query: URLSearchParams, filter: ListFilter): string {
  const next = new URLSearchParams();
  if (filter.text.trim() !== "") next.set("q", filter.text);
  for (const name of CHOSEN) for (const value of filter[name]) next.append(name, value);
  const sort = writeSort(filter.sort);
  if (sort !== PLAIN_SORT) next.set("sort", sort);
  if (filter.apart) next.set("seeds", "apart");
  if (filter.trials) next.set("trials", "shown");
  for (const [name, value] of query) if (!LIST_KEYS.includes(name)) next.append(name, value);
  return searchOf(next);
}

/** The request for the service. */
export function toRunFilter(filter: ListFilter): RunFilter {
  const asked: RunFilter = {};
  const q = filter.text.trim();
  if (q !== "") asked.q = q;
  if (filter.status.length > 0) asked.status = [...filter.status];
  if (filter.algo.length > 0) asked.algo = [...filter.algo];
  if (filter.env_id.length > 0) asked.env_id = [...filter.env_id];
  if (filter.tag.length > 0) asked.tag = [...filter.tag];
  const sort = writeSort(filter.sort);
  if (sort !== PLAIN_SORT) asked.sort = sort;
  if (!filter.apart) asked.grouped = true;
  return asked;
}

/** The request for the list of runs: training runs come first, and trials are folded unless the user shows them. */
export function toListFilter(filter: ListFilter): RunFilter {
  return {
    ...toRunFilter(filter),
    training_first: true,
    ...(!filter.trials && { without_trials: true }),
  };
}

/** Whether the filter excludes any run. The sort order does not. */
export function isFiltered(filter: ListFilter): boolean {
  return filter.text.trim() !== "" || CHOSEN.some((name) => filter[name].length > 0);
}

/** The order after a press on a column's title: a column that is already sorted by is reversed. */
export function sortedBy(sort: Sort, key: SortKey): Sort {
  return { key, descending: sort.key === key ? !sort.descending : beginsDescending(key) };
}

/** Whether the largest values come first when a column is first sorted by: of settings the smallest do. */
export function beginsDescending(key: SortKey): boolean {
  return isStandardSort(key) ? SORTS[key] === "desc" : !/^(?:hp|option)_/.test(key);
}

function writeSort({ key, descending }: Sort): string {
  return descending ? `-${key}` : key;
}

function readSort(text: string): Sort {
  const key = text.replace(/^-/, "");
  return isSortKey(key) ? { key, descending: text.startsWith("-") } : NEWEST_FIRST;
}

function isSortKey(value: string): boolean {
  return isStandardSort(value) || EXTRA_SORT.test(value);
}

export function isStandardSort(value: string): value is keyof typeof SORTS {
  return Object.hasOwn(SORTS, value);
}

function isStatus(value: string): value is RunStatus {
  return (RUN_STATUSES as readonly string[]).includes(value);
}
