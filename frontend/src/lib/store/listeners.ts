/** Who wants to hear of something; `add` answers with the way to stop hearing. */
export class Listeners<Args extends unknown[]> {
  private readonly all = new Set<(...args: Args) => void>();

  add = (listener: (...args: Args) => void): (() => void) => {
    this.all.add(listener);
    return () => this.all.delete(listener);
  };

  tell(...args: Args) {
    for (const listener of [...this.all]) listener(...args);
  }
}
