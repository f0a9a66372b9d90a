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

/** Moves the small `picture` to the other end when it lies over what gets the focus. */
export function useClearOfFocus(picture: RefObject<HTMLElement | null>, afloat: boolean) {
  // External system: the document's focus.
  useEffect(() => {
    if (!afloat) return;
    const onFocus = ({ target }: FocusEvent) => {
      const small = picture.current;
      if (!small || !(target instanceof Element) || small.contains(target)) return;
      if (covers(small.getBoundingClientRect(), target.getBoundingClientRect())) moveCorner();
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
