/**
 * Assigns rows in view to reusable row elements ("slots"). A row keeps its slot while it is in view, and a
 * row that comes into view takes a free one: to change the content of an element costs the browser less than
 * to remove one and insert another.
 */
export class RowSlots {
  private slots = new Map<number, number>();

  /** The slots of `lines`, in the same order. Lines that had a slot before keep it. */
  assign(lines: readonly number[]): number[] {
    const kept = new Map<number, number>();
    for (const line of lines) {
      const slot = this.slots.get(line);
      if (slot !== undefined) kept.set(line, slot);
    }
    const taken = new Set(kept.values());
    let next = 0;
    for (const line of lines) {
      if (kept.has(line)) continue;
      while (taken.has(next)) next += 1;
      kept.set(line, next);
      taken.add(next);
    }
    this.slots = kept;
    return lines.map((line) => kept.get(line)!);
  }
}
