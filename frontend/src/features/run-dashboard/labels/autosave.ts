/** `untouched` until something is typed. */
export type SaveState = "untouched" | "saving" | "saved" | "failed";

/** How long typing must pause before it is saved. */
const PAUSE_MS = 700;

/**
 * Saves a text as it is typed, in the order it was typed. What could not be saved is kept, and tried again with the
 * next key or flush.
 */
export class Autosave {
  #unsaved: string | null = null;
  #sending: string | null = null;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #error: Error | null = null;

  constructor(
    private readonly save: (text: string) => Promise<unknown>,
    private readonly tell: (state: SaveState, error: Error | null) => void,
  ) {}

  get failed() {
    return this.#error !== null;
  }

  type(text: string) {
    this.#unsaved = text;
    this.#say("saving");
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#paused(), PAUSE_MS);
  }

  /** At once, for somebody who leaves: not even an answer that is under way is waited for. */
  flush() {
    if (this.#unsaved !== null && this.#unsaved !== this.#sending) void this.#send(this.#unsaved);
  }

  #paused() {
    this.#pause = undefined;
    if (this.#sending === null) this.flush();
  }

  async #send(text: string) {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#sending = text;
    this.#say("saving");
    const error = await this.save(text).then(
      () => null,
      (cause: Error) => cause,
    );
    // A later text is under way already: its answer counts.
    if (this.#sending !== text) return;
    this.#sending = null;
    if (this.#unsaved !== text) {
      if (this.#pause === undefined) this.flush();
    } else if (error) this.#say("failed", error);
    else {
      this.#unsaved = null;
      this.#say("saved");
    }
  }

  #say(state: SaveState, error: Error | null = null) {
    this.#error = error;
    this.tell(state, error);
  }
}
