/**
 * The selected runs, and the row that a range selection starts from. Runs stay selected when a filter hides
 * them.
 */
export interface Selection {
  ids: ReadonlySet<string>;
  anchor: number | null;
}

export type SelectionChange =
  | { kind: "toggle"; ids: readonly string[]; index: number }
  | { kind: "add"; ids: readonly string[]; index?: number }
  | { kind: "remove"; ids: readonly string[] }
  | { kind: "clear" };

/** The most runs that can be selected at once; a guard against accidents. */
export const MOST_SELECTED = 500;

export const NOTHING: Selection = { ids: new Set(), anchor: null };

export function changeSelection(old: Selection, change: SelectionChange): Selection {
  switch (change.kind) {
    case "toggle": {
      const ids = new Set(old.ids);
      const all = change.ids.every((id) => ids.has(id));
      for (const id of change.ids)
        if (all) ids.delete(id);
        else ids.add(id);
      return { ids, anchor: change.index };
    }
    case "add":
      return {
        ids: new Set([...old.ids, ...change.ids]),
        anchor: change.index ?? old.anchor,
      };
    case "remove":
      return { ...old, ids: new Set([...old.ids].filter((id) => !change.ids.includes(id))) };
    case "clear":
      return NOTHING;
  }
}

/** `from` and `to` in ascending order; both belong to the range. */
export function span(from: number, to: number): [first: number, last: number] {
  return from <= to ? [from, to] : [to, from];
}
