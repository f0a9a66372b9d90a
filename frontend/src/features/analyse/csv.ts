import type { QueryAnswer } from "@/lib/api";

type Cell = QueryAnswer["rows"][number][number];

/** A value as text; nothing for null. */
export function cellText(value: Cell): string {
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** An answer as CSV (RFC 4180). */
export function csvOf({ columns, rows }: Pick<QueryAnswer, "columns" | "rows">): string {
  const line = (cells: readonly string[]) => cells.map(quoted).join(",");
  return `${[line(columns), ...rows.map((row) => line(row.map(cellText)))].join("\r\n")}\r\n`;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
