import type { RunFilter, RunStatus } from "@/lib/api";

/** Every status a run can have, in the order of its life. */
export const RUN_STATUSES = [
  "created",
  "queued",
  "starting",
  "running",
  "stopping",
  "completed",
  "stopped",
  "failed",
  "interrupted",
] as const satisfies readonly RunStatus[];

/** Columns the service can sort by; the way each is first sorted when it is chosen. */
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

export type SortKey = keyof typeof SORTS;

export interface Sort {
  key: SortKey;
  descending: boolean;
}

/** What the list of runs shows; all of it is in the address, so that a view can be shared. */
export interface ListFilter {
  text: string;
  status: readonly RunStatus[];
  algo: readonly string[];
  env_id: readonly string[];
  tag: readonly string[];
  sort: Sort;
}

export const CHOSEN = ["status", "algo", "env_id", "tag"] as const;
export type Chosen = (typeof CHOSEN)[number];

export const NEWEST_FIRST: Sort = { key: "created_at", descending: true };

export const EVERYTHING: ListFilter = {
  text: "",
  status: [],
  algo: [],
  env_id: [],
  tag: [],
  sort: NEWEST_FIRST,
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
  };
}

/** Empty parts leave no trace, so that the plain list has the plain address. */
export function writeListFilter(filter: ListFilter): string {
  const query = new URLSearchParams();
  if (filter.text.trim() !== "") query.set("q", filter.text);
  for (const name of CHOSEN) for (const value of filter[name]) query.append(name, value);
  const sort = writeSort(filter.sort);
  if (sort !== PLAIN_SORT) query.set("sort", sort);
  const search = query.toString();
  return search === "" ? "" : `?${search}`;
}

/** What the service is asked for. */
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
  return asked;
}

/** Whether anything is left out; the order leaves nothing out. */
export function isFiltered(filter: ListFilter): boolean {
  return filter.text.trim() !== "" || CHOSEN.some((name) => filter[name].length > 0);
}

/** Pressing a column that is sorted already turns it around. */
export function sortedBy(sort: Sort, key: SortKey): Sort {
  const descending = sort.key === key ? !sort.descending : SORTS[key] === "desc";
  return { key, descending };
}

function writeSort({ key, descending }: Sort): string {
  return descending ? `-${key}` : key;
}

function readSort(text: string): Sort {
  const key = text.replace(/^-/, "");
  return isSortKey(key) ? { key, descending: text.startsWith("-") } : NEWEST_FIRST;
}

function isSortKey(value: string): value is SortKey {
  return Object.hasOwn(SORTS, value);
}

function isStatus(value: string): value is RunStatus {
  return (RUN_STATUSES as readonly string[]).includes(value);
}
