"use client";

import { type RefObject, useCallback, useRef, useState } from "react";
import { useInView } from "@/lib/media";

/** Where a picture is shown: in its place on the page, or small in a corner of the window. */
export interface Corner {
  /** The place on the page. */
  place: RefObject<HTMLDivElement | null>;
  /** Whether the place is in sight; null until that is known. */
  inView: boolean | null;
  afloat: boolean;
  /** The small window was closed; it may come again once the place was in sight. */
  closed: boolean;
  close: () => void;
}

/** Keeps a picture in sight: what is `playing` when its place is scrolled away goes on in a corner, until it is closed. */
export function useCornerWindow(playing: boolean): Corner {
  const place = useRef<HTMLDivElement>(null);
  const inView = useInView(place);
  const [closed, setClosed] = useState(false);
  const [afloat, setAfloat] = useState(false);
  if (inView && closed) setClosed(false);
  if (inView && afloat) setAfloat(false);
  if (inView === false && playing && !closed && !afloat) setAfloat(true);
  const close = useCallback(() => {
    setClosed(true);
    setAfloat(false);
  }, []);
  return { place, inView, afloat, closed, close };
}
