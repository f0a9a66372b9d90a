"use client";

import { type ReactNode, useCallback, useState } from "react";
import { createPortal } from "react-dom";

/**
 * A part of a page that may move from one place to another and keeps its state, a session for instance: it is always
 * drawn at the same place of the React tree, into an element that is carried to where
 * `place` stands, of which one at most may be on the page.
 */
export function useMovable(part: ReactNode): [drawn: ReactNode, place: ReactNode] {
  const [host] = useState(makeHost);
  const attach = useCallback(
    (place: HTMLElement | null) => {
      if (host && place) place.append(host);
    },
    [host],
  );
  return [host && createPortal(part, host), <div key="place" ref={attach} className="contents" />];
}

/** None while the page is exported: the part is drawn in the browser alone. */
function makeHost(): HTMLElement | null {
  if (typeof document === "undefined") return null;
  const host = document.createElement("div");
  host.className = "contents";
  return host;
}
