"use client";

import { useEffect } from "react";

/** Names the tab; undefined leaves the name that the page has. */
export function useDocumentTitle(title: string | undefined) {
  // External system: the title of the document.
  useEffect(() => {
    if (title === undefined) return;
    const before = document.title;
    const whole = `${title} · RL Gym Visualizer`;
    document.title = whole;
    return () => {
      // The next page may have set its own title already.
      if (document.title === whole) document.title = before;
    };
  }, [title]);
}
