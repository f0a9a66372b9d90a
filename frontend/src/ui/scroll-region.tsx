"use client";

import clsx from "clsx";
import { type ReactNode, useEffect, useRef, useState } from "react";

interface ScrollRegionProps {
  /** The accessible name. Keyboard users focus and scroll the region, so the name says what it contains. */
  label: string;
  /** Whether it reaches to the edges of its card. */
  bleeds?: boolean;
  className?: string;
  children: ReactNode;
}

/** Scrolls content that is wider or higher than the region. The right edge fades while there is more. */
export function ScrollRegion({ label, bleeds = false, className, children }: ScrollRegionProps) {
  const region = useRef<HTMLDivElement>(null);
  const [hasMore, setMore] = useState(false);
  // External system: the layout, which says how much of it is out of sight.
  useEffect(() => {
    const element = region.current;
    if (!element) return;
    const look = () => setMore(isCut(element));
    const sizes = new ResizeObserver(look);
    for (const one of [element, ...element.children]) sizes.observe(one);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  return (
    <div className={clsx("relative min-w-0", bleeds && "-mx-4")}>
      <div
        ref={region}
        role="region"
        aria-label={label}
        tabIndex={0}
        className={clsx("relative overflow-auto", bleeds && "px-4", className)}
      >
        {children}
      </div>
      {hasMore && (
        <span
          aria-hidden
          data-more
          className="pointer-events-none absolute inset-y-0 right-0 z-2 w-12 bg-linear-to-l from-surface to-transparent"
        />
      )}
    </div>
  );
}

/** Whether there is more to the right; less than a pixel is rounding. */
function isCut({ scrollWidth, clientWidth, scrollLeft }: HTMLElement): boolean {
  return scrollWidth - clientWidth - scrollLeft > 1;
}
