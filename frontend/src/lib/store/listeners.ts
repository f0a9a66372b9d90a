/** A set of functions to call when something happens. */
export class Listeners<Args extends unknown[] = []> {
  private readonly all = new Set<(...args: Args) => void>();
  private disconnect: (() => void) | null = null;

  /**
   * `connect` runs when the first listener subscribes, and the function it returns when the last one
   * unsubscribes. It is for sources outside the app (a clock, a media query) that should cost nothing without
   * listeners.
   */
  constructor(private readonly connect?: () => () => void) {}

  /** Returns the function that unsubscribes. */
  readonly subscribe = (listener: (...args: Args) => void): (() => void) => {
    this.all.add(listener);
    if (this.all.size === 1) this.disconnect ??= this.connect?.() ?? null;
    return () => {
      this.all.delete(listener);
      if (this.all.size > 0) return;
      this.disconnect?.();
      this.disconnect = null;
    };
  };

  notify(...args: Args) {
    // A listener may unsubscribe others while it is called.
    for (const listener of [...this.all]) listener(...args);
  }
}
