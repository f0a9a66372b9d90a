"use client";

import { type RefObject, useEffect } from "react";
import { createKeptStore } from "@/lib/store";

/** The end of the window at which the small picture floats. */
export type CornerEnd = "top" | "bottom";

/** Where the small picture floats, on every page; kept in this browser. */
export const cornerEnd = createKeptStore<CornerEnd>("rlviz-corner", "bottom", (kept) =>
  kept === "top" || kept === "bottom" ? kept : null,
);

/** Moves the small picture to the other end. */
export function moveCorner() {
  cornerEnd.set(cornerEnd.get() === "top" ? "bottom" : "top");
}

/**
 * When the small `picture` lies over what gets the focus it moves to the other end; where it is as wide as the window,
 * and moving would not help, the page is scrolled.
 */
export function useClearOfFocus(picture: RefObject<HTMLElement | null>, afloat: boolean) {
  // External system: the document's focus.
  useEffect(() => {
    if (!afloat) return;
    const onFocus = ({ target }: FocusEvent) => {
      const small = picture.current;
      if (!small || !(target instanceof Element) || small.contains(target)) return;
      const place = small.getBoundingClientRect();
      if (!covers(place, target.getBoundingClientRect())) return;
      if (place.width < window.innerWidth) moveCorner();
      else target.scrollIntoView({ block: "nearest" });
    };
    document.addEventListener("focusin", onFocus);
    return () => document.removeEventListener("focusin", onFocus);
  }, [picture, afloat]);
}

/** Whether `small` hides part of `focused`. What is higher than half the window shows beside it wherever it floats. */
function covers(small: DOMRect, focused: DOMRect): boolean {
  return (
    focused.height < window.innerHeight / 2 &&
    focused.top < small.bottom &&
    focused.bottom > small.top &&
    focused.left < small.right &&
    focused.right > small.left
  );
}
