import type { QueryAnswer } from "@/api/types";
import { csvOf } from "@/lib/csv";

type Value = QueryAnswer["rows"][number][number];

/** A value as text; nothing for null. */
export function valueText(value: Value): string {
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** An answer as CSV, its columns' names first. */
export function answerCsv({ columns, rows }: Pick<QueryAnswer, "columns" | "rows">): string {
  const cell = (value: Value) => (typeof value === "number" ? value : valueText(value));
  return csvOf([columns, ...rows.map((row) => row.map(cell))]);
}
