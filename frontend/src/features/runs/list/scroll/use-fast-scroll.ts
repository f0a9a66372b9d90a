"use client";

import { startTransition, useEffect, useState } from "react";
import { createScrollSpeedometer } from "./scroll-speed";

/** It has come to rest when nothing moved for so long. */
const REST_MS = 120;

/** Whether the page is scrolled faster than anybody reads. */
export function useFastScroll(): boolean {
  const [fast, setFast] = useState(false);
  // External system: the window's scroll position.
  useEffect(() => {
    const isFast = createScrollSpeedometer();
    let timer = 0;
    const onScroll = (event: Event) => {
      window.clearTimeout(timer);
      // What was left out is drawn in slices, so that a next move is not kept waiting.
      timer = window.setTimeout(() => startTransition(() => setFast(false)), REST_MS);
      if (isFast(window.scrollY, event.timeStamp)) setFast(true);
    };
    window.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      window.clearTimeout(timer);
      window.removeEventListener("scroll", onScroll);
    };
  }, []);
  return fast;
}
