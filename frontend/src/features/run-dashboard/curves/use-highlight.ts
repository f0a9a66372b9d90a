"use client";

import { useMemo } from "react";
import { searchOf, useQueryString } from "@/lib/query-string";
import { type Highlight, readHighlight, writeHighlight } from "./highlight";

export function useHighlight(): [Highlight | null, (highlight: Highlight | null) => void] {
  const [query, change] = useQueryString();
  const search = query.toString();
  // Memoised, because a chart compares the highlight by identity.
  const highlight = useMemo(() => readHighlight(new URLSearchParams(search)), [search]);
  const point = (next: Highlight | null) =>
    change((written) => {
      writeHighlight(written, next);
      return searchOf(written);
    });
  return [highlight, point];
}
