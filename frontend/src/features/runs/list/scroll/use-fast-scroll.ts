"use client";

import { startTransition, useEffect, useState } from "react";
import { createScrollSpeedometer } from "./scroll-speed";

/** Milliseconds without a scroll event after which scrolling has ended. */
const REST_MS = 120;

/** Whether the page scrolls too fast for rows to be read. */
export function useFastScroll(): boolean {
  const [fast, setFast] = useState(false);
  // External system: the window's scroll position.
  useEffect(() => {
    const isFast = createScrollSpeedometer();
    let timer = 0;
    const onScroll = (event: Event) => {
      window.clearTimeout(timer);
      // A transition, so that React draws the remaining rows in slices and a new scroll is not
      // delayed.
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
