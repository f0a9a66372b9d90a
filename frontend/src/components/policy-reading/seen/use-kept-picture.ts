"use client";

import { useQueries } from "@tanstack/react-query";
import type { KeptPictures } from "@/api/policy-pictures";
import type { SeenSheet } from "./paint-seen";

interface KeptPicture {
  /** Null as long as it is not there. */
  sheet: SeenSheet | null;
  /** Loads it again; null where it did not fail. */
  retry: (() => void) | null;
}

/** The newest picture that the agent saw in a frame, out of its strip; the next strip is fetched meanwhile. */
export function useKeptPicture(kept: KeptPictures | null, frame: number): KeptPicture {
  const { pictures: count = 0, pictures_a_strip: aStrip = 1 } = kept?.facts ?? {};
  const strip = Math.floor(frame / aStrip);
  const strips = [strip, strip + 1].filter((number) => number * aStrip < count);
  const [read] = useQueries({ queries: kept ? strips.map((number) => kept.strip(number)) : [] });
  if (!kept || !read?.data || frame >= count)
    return { sheet: null, retry: read?.isError ? () => void read.refetch() : null };
  const bitmap = read.data;
  const { width, height } = kept.facts;
  const top = (frame % aStrip) * height;
  const sheet = { bitmap, pictures: 1, left: 0, top, width, height, hasMaps: false };
  return { sheet, retry: null };
}
