/**
 * Which element of the page each line in view is drawn in. A line keeps its element as long as it is in view, and one
 * that comes into view takes an element that has become free: the element changes what it says, which costs the browser
 * less than removing one row and making another.
 */
export class RowSlots {
  private slots = new Map<number, number>();

  /** The slot of each of `lines`, in their order. The same lines have the same slots as before. */
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
