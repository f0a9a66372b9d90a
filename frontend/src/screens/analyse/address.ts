import type { AnalyticsQuestion } from "@/api/analytics";
import {
  EVERYTHING,
  type ListFilter,
  readListFilter,
  toRunFilter,
  writeListFilter,
} from "@/api/run-filter";
import { searchOf } from "@/lib/query-string";
import { isRunId } from "@/lib/routes";

export const VIEWS = ["charts", "scatter", "pivot", "sql"] as const;
export type View = (typeof VIEWS)[number];

/** State of the page, all of which is in its address: a view is saved by keeping the address. */
export interface AnalyseAddress {
  view: View;
  by: string;
  /** The two settings of a pivot table. */
  across: string;
  measure: string;
  /** The horizontal axis of a scatter plot; null: the page decides. */
  x: string | null;
  sql: string;
  filter: ListFilter;
  /** Ids of the selected runs, as in the address of a comparison; empty: all that the filter matches. */
  runs: readonly string[];
}

const DEFAULTS = { by: "algo", across: "env_id", measure: "best_moving_average" } as const;
const NAMED = ["by", "across", "measure"] as const;

export function readAddress(query: URLSearchParams): AnalyseAddress {
  const filter = readListFilter(query);
  return {
    view: VIEWS.find((one) => one === query.get("view")) ?? "charts",
    by: query.get("by") || DEFAULTS.by,
    across: query.get("across") || DEFAULTS.across,
    measure: query.get("measure") || DEFAULTS.measure,
    x: query.get("x") || null,
    sql: query.get("sql") ?? "",
    runs: (query.get("runs") ?? "").split(",").filter(isRunId),
    filter: { ...filter, sort: EVERYTHING.sort, apart: EVERYTHING.apart },
  };
}

/** Writes into `query`; other parts (chart settings) stay, and empty or default values are left out. */
export function writeAddress(query: URLSearchParams, address: AnalyseAddress): string {
  const next = new URLSearchParams(writeListFilter(query, address.filter));
  for (const name of ["view", ...NAMED, "x", "sql", "runs"]) next.delete(name);
  if (address.view !== "charts") next.set("view", address.view);
  for (const name of NAMED) if (address[name] !== DEFAULTS[name]) next.set(name, address[name]);
  if (address.x !== null) next.set("x", address.x);
  if (address.sql !== "") next.set("sql", address.sql);
  if (address.runs.length > 0) next.set("runs", address.runs.join(","));
  return searchOf(next);
}

/** The changes; of the filter, only the named parts change. */
export type AddressPart = Partial<Omit<AnalyseAddress, "filter"> & { filter: Partial<ListFilter> }>;

/** Writes `part` over the state in `query`. */
export function changeAddress(query: URLSearchParams, part: AddressPart): string {
  const now = readAddress(query);
  return writeAddress(query, { ...now, ...part, filter: { ...now.filter, ...part.filter } });
}

/** The request to the service, grouped by `by`. */
export function questionOf(address: AnalyseAddress, by: string[]): AnalyticsQuestion {
  const { q, status, algo, env_id, tag } = toRunFilter(address.filter);
  return {
    by,
    measure: address.measure,
    runs: address.runs,
    filter: {
      ...(q !== undefined && { q }),
      ...(status && { status }),
      ...(algo && { algo }),
      ...(env_id && { env_id }),
      ...(tag && { tag }),
    },
  };
}
