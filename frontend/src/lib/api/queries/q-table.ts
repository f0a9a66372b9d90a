import { queryOptions } from "@tanstack/react-query";
import { keys } from "../keys";
import { fetchJson } from "./artifacts";

/** The file of a run's folder that holds its Q-table. */
export const Q_TABLE = "q_table.json";

/** The content of `q_table.json`. */
export interface QTableFile {
  env_id: string;
  step: number;
  states: number;
  actions: string[];
  /** Rows and columns, if the states are the squares of a grid. */
  shape: [rows: number, columns: number] | null;
  /** A letter for each square of the grid. */
  map: string[] | null;
  q: number[][];
  /** How often each action was taken in each state. */
  visits?: number[][];
  /** A boolean for each state, or the list of terminal states. */
  terminal: boolean[] | number[];
}

/** The Q-table as the run wrote it last; null if it has written none. */
export function fetchQTable(runId: string, signal?: AbortSignal): Promise<QTableFile | null> {
  return fetchJson<QTableFile>(runId, Q_TABLE, signal);
}

export function qTableQuery(runId: string) {
  return queryOptions({
    queryKey: keys.table(runId),
    queryFn: ({ signal }) => fetchQTable(runId, signal),
  });
}
