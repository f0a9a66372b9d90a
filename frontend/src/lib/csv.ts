type Cell = string | number | boolean | null;

/**
 * A value as a cell of CSV (RFC 4180); nothing for null. Spreadsheets evaluate text that begins like a formula; a
 * leading apostrophe keeps it text (OWASP, CSV injection).
 */
export function csvCell(value: Cell): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const safe = /^'*[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Lines of cells as CSV (RFC 4180). */
export function csvOf(lines: readonly (readonly Cell[])[]): string {
  return lines.map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}
