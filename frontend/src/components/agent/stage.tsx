"use client";

import clsx from "clsx";
import { ArrowDownToLine, ArrowUpToLine, Maximize2, X } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { apiLink } from "@/lib/api";
import { useStore } from "@/lib/store";
import { cornerEnd, moveCorner, useClearOfFocus } from "./corner-end";
import type { Corner } from "./use-corner-window";

interface StageProps {
  /** Of the view: "Live". */
  label: string;
  /** Which policy is seen, for the small window. */
  caption: string;
  corner: Corner;
  /** A picture of the environment, as long as there is nothing better; null: there is something, or no picture. */
  stillUrl: string | null;
  children?: ReactNode;
}

/** Where the agent is seen: a place of fixed shape on the page, or a small window in the corner. */
export function Stage({ label, caption, corner, stillUrl, children }: StageProps) {
  const { place, afloat, close } = corner;
  const picture = useRef<HTMLDivElement>(null);
  const atTop = useStore(cornerEnd) === "top";
  useClearOfFocus(picture, afloat);

  // External system: the keyboard. Escape closes the small window, unless something above it takes it.
  useEffect(() => {
    if (!afloat) return;
    const onKey = (event: KeyboardEvent) => {
      const above = document.querySelector("[role=dialog], [role=menu], [role=listbox]");
      if (event.key === "Escape" && !event.defaultPrevented && !above) close();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [afloat, close]);

  return (
    <div
      ref={place}
      className="aspect-3/2 max-h-[75vh] w-full scroll-my-24 rounded-md border border-line bg-sunken in-[:fullscreen]:aspect-auto in-[:fullscreen]:max-h-none in-[:fullscreen]:min-h-0 in-[:fullscreen]:grow"
    >
      <div
        ref={picture}
        role={afloat ? "group" : undefined}
        aria-label={afloat ? `${label}, in a corner` : undefined}
        className={clsx(
          "group/stage overflow-hidden bg-sunken",
          afloat
            ? "fixed right-4 z-bar aspect-3/2 w-64 animate-rise rounded-lg border border-line-strong shadow-float max-md:right-3 max-md:w-44"
            : "relative size-full rounded-md",
          afloat &&
            (atTop
              ? "top-16"
              : "bottom-4 max-md:bottom-[calc(4.25rem+env(safe-area-inset-bottom))]"),
        )}
      >
        {stillUrl && (
          // The export has no image service, and the picture is small already.
          // eslint-disable-next-line @next/next/no-img-element
          <img
            src={apiLink(stillUrl)}
            alt=""
            className="absolute inset-0 size-full object-contain opacity-60"
          />
        )}
        {children}
        {afloat && (
          <>
            <p
              aria-hidden
              className="pointer-events-none absolute bottom-1 left-1 max-w-[calc(100%-0.5rem)] truncate rounded-sm bg-raised/90 px-1.5 py-0.5 text-2xs text-ink-soft tabular-nums"
            >
              {caption}
            </p>
            <div className="absolute top-1 right-1 flex gap-1">
              <CornerKey
                label={`Move the small window to the ${atTop ? "bottom" : "top"}`}
                onPress={moveCorner}
              >
                {atTop ? (
                  <ArrowDownToLine aria-hidden className="size-3.5" />
                ) : (
                  <ArrowUpToLine aria-hidden className="size-3.5" />
                )}
              </CornerKey>
              <CornerKey
                label="Back to its place"
                onPress={() => place.current?.scrollIntoView({ block: "center" })}
              >
                <Maximize2 aria-hidden className="size-3.5" />
              </CornerKey>
              <CornerKey label="Close the small window" keys="Escape" onPress={close}>
                <X aria-hidden className="size-4" />
              </CornerKey>
            </div>
          </>
        )}
      </div>
    </div>
  );
}

interface CornerKeyProps {
  label: string;
  keys?: string;
  onPress: () => void;
  children: ReactNode;
}

function CornerKey({ label, keys, onPress, children }: CornerKeyProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-keyshortcuts={keys}
      title={label}
      onClick={onPress}
      className="grid size-7 place-items-center rounded-md bg-raised/90 text-ink-soft shadow-card hover:text-ink max-md:size-9"
    >
      {children}
    </button>
  );
}

interface StageNoteProps {
  alert?: boolean;
  children: ReactNode;
}

/** What stands on the stage instead of a picture: why there is none, and what can be done. */
export function StageNote({ alert = false, children }: StageNoteProps) {
  return (
    <div
      role={alert ? "alert" : undefined}
      className="absolute inset-0 grid place-content-center justify-items-center gap-2.5 overflow-y-auto bg-sunken/90 p-4 text-center text-sm text-balance text-ink-soft"
    >
      {children}
    </div>
  );
}
