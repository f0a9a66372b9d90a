/**
 * Stream cursors by run: `<run id>:<offset>` for each, joined by commas in the address. A connection with
 * another set of runs continues where each was left.
 */
export type Cursors = Map<string, string>;

export function readCursor(cursor: string | null | undefined): Cursors {
  const cursors: Cursors = new Map();
  for (const part of (cursor ?? "").split(",")) {
    const colon = part.lastIndexOf(":");
    if (colon > 0) cursors.set(part.slice(0, colon), part.slice(colon + 1));
  }
  return cursors;
}

export function writeCursor(cursors: Cursors, runIds: Iterable<string>): string {
  return [...runIds]
    .filter((id) => cursors.has(id))
    .map((id) => `${id}:${cursors.get(id)}`)
    .join(",");
}
