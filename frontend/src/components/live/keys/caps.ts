import type { Binding, Controls } from "@/lib/api";

/** A key as it is shown: one that does something by itself. */
export interface Cap {
  key: string;
  label: string;
  /** Keys that do the same; it lights up with any of them. */
  alike: readonly string[];
}

export interface Caps {
  /** By place in a cross. */
  arrows: readonly Cap[];
  others: readonly Cap[];
  /** What keys do when they are held together. */
  chords: readonly { keys: readonly string[]; label: string }[];
}

const isSame = (a: Binding) => (b: Binding) =>
  a.component === b.component && a.value === b.value && a.keys.length === b.keys.length;

/** The keys to be shown: the first of those that do the same, and chords only as words. */
export function capsOf({ bindings }: Controls): Caps {
  const first = bindings.filter((each, place) => bindings.findIndex(isSame(each)) === place);
  const caps = first
    .filter(({ keys }) => keys.length === 1)
    .map((each) => ({
      key: each.keys[0]!,
      label: each.label,
      alike: bindings.filter(isSame(each)).map(({ keys }) => keys[0]!),
    }));
  return {
    arrows: caps.filter(({ key }) => key.startsWith("Arrow")),
    others: caps.filter(({ key }) => !key.startsWith("Arrow")),
    chords: first.filter(({ keys }) => keys.length > 1),
  };
}
