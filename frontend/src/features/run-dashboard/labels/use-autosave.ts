"use client";

import { useEffect, useState } from "react";
import { Autosave, type SaveState } from "./autosave";

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
