"use client";

import { type RefObject, useEffect, useState } from "react";

/** Whether at least a quarter of an element is within the window; null until that is known. */
export function useInView(element: RefObject<HTMLElement | null>): boolean | null {
  const [inView, setInView] = useState<boolean | null>(null);
  // External system: the scroll position.
  useEffect(() => {
    if (!element.current || typeof IntersectionObserver === "undefined") return;
    const observer = new IntersectionObserver(
      (entries) => setInView((entries.at(-1)?.intersectionRatio ?? 0) >= 0.25),
      { threshold: [0, 0.25] },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return inView;
}
