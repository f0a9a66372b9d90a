"use client";

import { useQueries, type UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { KeptPictures, SeenStep } from "@/api/policy-pictures";
import { Button } from "@/ui/button";
import { SeenFigure, type SeenSheet, sheetOf } from "./seen-figure";

interface KeptSeenProps {
  /** The stored images that the agent saw; null: there are none. */
  kept: KeptPictures | null;
  /** Of the video, from 0. */
  frame: number;
  /** The whole image stack of this step, with its saliency map; null until it is requested. */
  stack: UseQueryResult<SeenStep> | null;
  /** Called when the user requests it. */
  onAsk: () => void;
  /** Whether it can be asked for. */
  canAsk: boolean;
  /** Information to show before the request. */
  note?: string;
  /** Shown instead of the picture while there is none. */
  children: ReactNode;
}

/** What the agent saw in a frame of a video; on demand the whole stack of the step, with what mattered in it. */
export function KeptSeen({ kept, frame, stack, onAsk, canAsk, note, children }: KeptSeenProps) {
  const { sheet: newest, retry } = useKeptPicture(kept, frame);
  const found = stack?.data;
  const score = found?.seen.score ?? null;
  const sheet = found ? sheetOf(found.bitmap, found.seen.pictures, score !== null) : newest;
  return (
    <SeenFigure
      sheet={sheet}
      score={score}
      controls={
        <>
          <Button
            size="sm"
            needsService
            disabled={(stack !== null && !stack.error) || !canAsk}
            onClick={() => {
              onAsk();
              if (stack?.error) void stack.refetch();
            }}
          >
            {stack?.isFetching ? "Playing up to this step…" : "Saliency of this step"}
          </Button>
          {note && <p className="w-full text-2xs text-ink-faint">{note}</p>}
          {stack?.error && (
            <p role="alert" className="w-full text-xs text-bad-strong">
              {stack.error.message}
            </p>
          )}
        </>
      }
    >
      {retry ? (
        <div role="alert" className="flex flex-wrap items-center gap-2 text-xs text-ink-soft">
          <p>What the agent saw could not be loaded.</p>
          <Button size="sm" onClick={retry}>
            Try again
          </Button>
        </div>
      ) : (
        <p className="text-xs text-ink-soft">{children}</p>
      )}
    </SeenFigure>
  );
}

interface KeptPicture {
  /** Null until it is loaded. */
  sheet: SeenSheet | null;
  /** Loads it again; null if it did not fail. */
  retry: (() => void) | null;
}

/** The newest picture that the agent saw in a frame, out of its strip; the next strip is fetched meanwhile. */
function useKeptPicture(kept: KeptPictures | null, frame: number): KeptPicture {
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
