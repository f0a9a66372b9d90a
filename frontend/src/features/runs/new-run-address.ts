const NEW = "new";
const DUPLICATE = "duplicate";

/** What the address asks the form for: nothing, an empty form, or one filled in from a run. */
export type NewRunAddress = { open: false } | { open: true; duplicate: string | null };

export function readNewRunAddress(query: URLSearchParams): NewRunAddress {
  const duplicate = query.get(DUPLICATE);
  if (duplicate) return { open: true, duplicate };
  return query.has(NEW) ? { open: true, duplicate: null } : { open: false };
}

/** The address with the form opened or closed, and all else as it was. */
export function writeNewRunAddress(query: URLSearchParams, asked: NewRunAddress): string {
  const next = new URLSearchParams(query);
  next.delete(NEW);
  next.delete(DUPLICATE);
  if (asked.open) {
    if (asked.duplicate) next.set(DUPLICATE, asked.duplicate);
    else next.set(NEW, "");
  }
  const search = next.toString().replace(/(^|&)new=(&|$)/, "$1new$2");
  return search === "" ? "" : `?${search}`;
}
