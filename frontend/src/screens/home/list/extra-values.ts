"use client";

import { type UseQueryResult, useQueries, useQuery } from "@tanstack/react-query";
import { analyticsSchemaQuery, extraValuesQuery, type RunValues } from "@/api/analytics";
import { decimal, setting } from "@/lib/number";
import { metricOf } from "./column-choice";

/** Values of the columns that are not standard, by run id and column. */
export type ExtraValues = ReadonlyMap<string, RunValues>;

const NONE: ExtraValues = new Map();

/** Runs whose values are asked for in one request. */
const TOGETHER = 100;
const LIVE_MS = 10_000;

/** The values of `columns` for these runs. Changing ones are polled while `live`. */
export function useExtraValues(
  columns: readonly string[],
  runIds: readonly string[],
  live: boolean,
): ExtraValues {
  const ids = [...new Set(runIds)].sort();
  const blocks: string[][] = [];
  if (columns.length > 0) {
    for (let at = 0; at < ids.length; at += TOGETHER) blocks.push(ids.slice(at, at + TOGETHER));
  }
  const metrics = columns.map(metricOf).filter((name) => name !== null);
  // A column is gone once no run has the setting any more.
  const schema = useQuery({ ...analyticsSchemaQuery, enabled: columns.length > 0 });
  const known = schema.data?.tables.find(({ name }) => name === "runs")?.columns ?? [];
  const plain = columns.filter((column) => known.some(({ name }) => name === column));
  return useQueries({
    queries: blocks.map((block) => ({
      ...extraValuesQuery(plain, metrics, block),
      enabled: schema.data !== undefined,
      refetchInterval: live ? LIVE_MS : (false as const),
    })),
    combine: allValues,
  });
}

function allValues(results: UseQueryResult<ReadonlyMap<string, RunValues>>[]): ExtraValues {
  if (results.length === 0) return NONE;
  return new Map(results.flatMap(({ data }) => [...(data ?? [])]));
}

/** The content of a cell: the value of one run; for several, the shared value or the mean. */
export interface ExtraText {
  text: string;
  /** Describes `text` if it is not the value of one run. */
  note?: string;
}

export function extraText(
  column: string,
  runIds: readonly string[],
  values: ExtraValues,
): ExtraText | null {
  const known = runIds.map((id) => values.get(id)?.[column]).filter((value) => value !== undefined);
  if (known.length === 0) return null;
  const given = known.filter((value) => value !== null);
  const [first] = given;
  if (first === undefined) return { text: "–" };
  if (given.every((value) => value === first)) return { text: valueText(column, first) };
  const numbers = given.filter((value) => typeof value === "number");
  if (numbers.length < given.length) {
    return { text: `${new Set(given).size} values`, note: [...new Set(given)].join(", ") };
  }
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  return { text: `mean ${decimal(mean)}`, note: `Mean of ${numbers.length} runs` };
}

function valueText(column: string, value: string | number | boolean): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  const isSetting = column.startsWith("hp_") || column.startsWith("option_");
  return isSetting || Number.isInteger(value) ? settingText(value) : decimal(value);
}

function settingText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) >= 10_000
    ? value.toLocaleString("en-US")
    : setting(value);
}
