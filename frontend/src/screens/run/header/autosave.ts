"use client";

import { useEffect, useState } from "react";

/** `untouched` until something is typed. */
export type SaveState = "untouched" | "saving" | "saved" | "failed";

/** Milliseconds without typing after which the text is saved. */
const PAUSE_MS = 700;

/**
 * Saves a text while it is typed, in order. A text that could not be saved is kept, and saved with the next
 * key or flush.
 */
export class Autosave {
  #unsaved: string | null = null;
  #sending: string | null = null;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #error: Error | null = null;

  constructor(
    private readonly save: (text: string) => Promise<unknown>,
    private readonly onChange: (state: SaveState, error: Error | null) => void,
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

  /** Saves at once, without waiting for a request under way, for when the page is left. */
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
    // A later text is being saved; its response counts.
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
    this.onChange(state, error);
  }
}

/**
 * An `Autosave` that saves when the component unmounts or the page is left. `save` must stay the same
 * function.
 */
export function useAutosave(save: (text: string) => Promise<unknown>) {
  const [{ state, error }, setSaving] = useState<{ state: SaveState; error: Error | null }>({
    state: "untouched",
    error: null,
  });
  const [autosave] = useState(
    () => new Autosave(save, (state, error) => setSaving({ state, error })),
  );

  // External system: the browser, which may close or discard the page at any moment.
  useEffect(() => {
    const flush = () => autosave.flush();
    const warn = (event: BeforeUnloadEvent) => {
      if (autosave.failed) event.preventDefault();
    };
    window.addEventListener("pagehide", flush);
    window.addEventListener("beforeunload", warn);
    document.addEventListener("visibilitychange", flush);
    return () => {
      window.removeEventListener("pagehide", flush);
      window.removeEventListener("beforeunload", warn);
      document.removeEventListener("visibilitychange", flush);
      flush();
    };
  }, [autosave]);

  return { autosave, state, error };
}
