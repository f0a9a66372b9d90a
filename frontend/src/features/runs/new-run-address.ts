import { searchOf } from "@/lib/query-string";

const NEW = "new";
const DUPLICATE = "duplicate";

/**
 * What the address says about the new-run form: closed, or open, possibly to repeat a run or with an
 * environment.
 */
export type NewRunAddress =
  { open: false } | { open: true; duplicate: string | null; environment: string | null };

export function readNewRunAddress(query: URLSearchParams): NewRunAddress {
  const duplicate = query.get(DUPLICATE);
  if (duplicate) return { open: true, duplicate, environment: null };
  if (!query.has(NEW)) return { open: false };
  return { open: true, duplicate: null, environment: query.get(NEW) || null };
}

/** The query string with the form opened or closed, and everything else unchanged. */
export function writeNewRunAddress(query: URLSearchParams, asked: NewRunAddress): string {
  const next = new URLSearchParams(query);
  next.delete(NEW);
  next.delete(DUPLICATE);
  if (asked.open) {
    if (asked.duplicate) next.set(DUPLICATE, asked.duplicate);
    else next.set(NEW, asked.environment ?? "");
  }
  return searchOf(next);
}
