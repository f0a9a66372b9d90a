"use client";

import clsx from "clsx";
import { X } from "lucide-react";
import { type ReactNode, type Ref, useEffect } from "react";
import { apiLink } from "@/lib/api";

interface StageProps {
  /** Of the place on the page, which keeps its size whatever is shown in it. */
  ref: Ref<HTMLDivElement>;
  /** The environment's picture, until there is a frame. */
  stillUrl: string | null;
  hasFrame: boolean;
  /** Shown in a corner of the window, because its place is out of sight. */
  afloat: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** Where the agent plays: a place of fixed shape on the page, or a small window in the corner. */
export function Stage({ ref, stillUrl, hasFrame, afloat, onClose, children }: StageProps) {
  // External system: the keyboard. Escape closes the small window, unless something above it takes it.
  useEffect(() => {
    if (!afloat) return;
    const onKey = (event: KeyboardEvent) => {
      const above = document.querySelector("[role=dialog], [role=menu], [role=listbox]");
      if (event.key === "Escape" && !event.defaultPrevented && !above) onClose();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [afloat, onClose]);

  return (
    <div
      ref={ref}
      className="aspect-3/2 rounded-md border border-line bg-sunken in-[:fullscreen]:aspect-auto in-[:fullscreen]:min-h-0 in-[:fullscreen]:grow"
    >
      <div
        role={afloat ? "group" : undefined}
        aria-label={afloat ? "Live, in a corner" : undefined}
        className={clsx(
          "overflow-hidden bg-sunken",
          afloat
            ? "fixed right-4 bottom-4 z-bar aspect-3/2 w-64 animate-rise rounded-lg border border-line-strong shadow-float max-md:right-3 max-md:bottom-[calc(4.25rem+env(safe-area-inset-bottom))] max-md:w-44"
            : "relative size-full rounded-md",
        )}
      >
        {!hasFrame && stillUrl && (
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
          <button
            type="button"
            aria-label="Close the small window"
            aria-keyshortcuts="Escape"
            onClick={onClose}
            className="absolute top-1 right-1 grid size-7 place-items-center rounded-md bg-raised/90 text-ink-soft shadow-card hover:text-ink max-md:size-9"
          >
            <X aria-hidden className="size-4" />
          </button>
        )}
      </div>
    </div>
  );
}
