"use client";

import { type ReactNode, useState } from "react";
import { count } from "@/lib/number";
import { Button } from "./button";

/**
 * The first `most` of a list, and the button that shows the others. A list within a page grows; it has no scrollbar of
 * its own.
 */
export function useShortened<T>(
  all: readonly T[],
  most: number,
): { shown: readonly T[]; more: ReactNode } {
  const [whole, setWhole] = useState(false);
  if (whole || all.length <= most) return { shown: all, more: null };
  return {
    shown: all.slice(0, most),
    more: (
      <Button size="sm" variant="quiet" className="self-start" onClick={() => setWhole(true)}>
        Show all {count(all.length)}
      </Button>
    ),
  };
}
