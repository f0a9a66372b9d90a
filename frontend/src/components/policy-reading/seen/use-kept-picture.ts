"use client";

import { useQueries } from "@tanstack/react-query";
import type { KeptPictures } from "@/lib/api";
import type { SeenSheet } from "./paint-seen";

/** The newest picture that the agent saw in a frame, out of its strip; the next strip is fetched meanwhile. */
export function useKeptPicture(kept: KeptPictures | null, frame: number): SeenSheet | null {
  const { pictures: count = 0, pictures_a_strip: aStrip = 1 } = kept?.facts ?? {};
  const strip = Math.floor(frame / aStrip);
  const strips = [strip, strip + 1].filter((number) => number * aStrip < count);
  const [read] = useQueries({ queries: kept ? strips.map((number) => kept.strip(number)) : [] });
  if (!kept || !read?.data || frame >= count) return null;
  const bitmap = read.data;
  const { width, height } = kept.facts;
  const top = (frame % aStrip) * height;
  return { bitmap, pictures: 1, left: 0, top, width, height, hasMaps: false };
}
