import type { Binding, Controls } from "@/api/types";

/** A key to show: one that is bound by itself, without others. */
export interface Cap {
  key: string;
  label: string;
  /** All keys with the same effect; the cap is highlighted while any of them is held. */
  alike: readonly string[];
}

export interface Caps {
  /** Arrow-like keys by their place in a cross. */
  arrows: readonly Cap[];
  others: readonly Cap[];
  /** What keys do when held together, in words. */
  chords: readonly { keys: readonly string[]; label: string }[];
}

const isSame = (a: Binding) => (b: Binding) =>
  a.component === b.component && a.value === b.value && a.keys.length === b.keys.length;

/** The keys to show. Of keys with the same effect only the first is shown, and combinations only in words. */
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
