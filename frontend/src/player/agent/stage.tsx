"use client";

import clsx from "clsx";
import { ArrowDownToLine, ArrowUpToLine, Maximize2, X } from "lucide-react";
import { type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { apiLink } from "@/api/http";
import { useInView } from "@/lib/media";
import { createKeptStore } from "@/lib/store";
import { useStore } from "@/lib/use-store";
import styles from "./stage.module.css";

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

/**
 * Where the agent is seen: a place of fixed shape on the page, or a small window in the corner; on a phone, where that
 * would lie over what one wants to press, a bar above the bottom bar.
 */
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
        data-small-window={afloat || undefined}
        className={clsx(
          "group/stage overflow-hidden",
          afloat
            ? "fixed z-bar animate-rise border-line-strong bg-raised shadow-float md:right-4 md:w-64 md:rounded-lg md:border"
            : "relative size-full rounded-md",
          afloat && styles.docked,
          afloat && (atTop ? "md:top-16" : "md:bottom-4"),
        )}
      >
        <div
          className={clsx(
            "relative bg-sunken",
            afloat ? "aspect-3/2 max-md:h-full max-md:shrink-0" : "size-full",
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
        </div>
        {afloat && (
          <>
            <p
              aria-hidden
              className="text-2xs text-ink-soft tabular-nums max-md:min-w-0 max-md:grow max-md:text-balance md:pointer-events-none md:absolute md:bottom-1 md:left-1 md:max-w-[calc(100%-0.5rem)] md:truncate md:rounded-sm md:bg-raised/90 md:px-1.5 md:py-0.5"
            >
              {caption}
            </p>
            <div className="flex gap-1 max-md:mr-3 md:absolute md:top-1 md:right-1">
              <CornerKey
                label={`Move the small window to the ${atTop ? "bottom" : "top"}`}
                onPress={moveCorner}
                className="max-md:hidden"
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
  className?: string;
  children: ReactNode;
}

function CornerKey({ label, keys, onPress, className, children }: CornerKeyProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-keyshortcuts={keys}
      title={label}
      onClick={onPress}
      className={clsx(
        "grid size-7 place-items-center rounded-md bg-raised/90 text-ink-soft shadow-card hover:text-ink max-md:size-11 max-md:shadow-none",
        className,
      )}
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

/** The end of the window at which the small picture floats. */
export type CornerEnd = "top" | "bottom";

/** Where the small picture floats, on every page; kept in this browser. */
const cornerEnd = createKeptStore<CornerEnd>("rlviz-corner", "bottom", (kept) =>
  kept === "top" || kept === "bottom" ? kept : null,
);

/** Moves the small picture to the other end. */
function moveCorner() {
  cornerEnd.set(cornerEnd.get() === "top" ? "bottom" : "top");
}

/**
 * When the small `picture` lies over what gets the focus it moves to the other end; where it is as wide as the window,
 * and moving would not help, the page is scrolled.
 */
function useClearOfFocus(picture: RefObject<HTMLElement | null>, afloat: boolean) {
  // External system: the document's focus.
  useEffect(() => {
    if (!afloat) return;
    const onFocus = ({ target }: FocusEvent) => {
      const small = picture.current;
      if (!small || !(target instanceof Element) || small.contains(target)) return;
      const place = small.getBoundingClientRect();
      if (!covers(place, target.getBoundingClientRect())) return;
      if (place.width < window.innerWidth) moveCorner();
      else target.scrollIntoView({ block: "nearest" });
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

/** Where a picture is shown: in its place on the page, or small in a corner of the window. */
interface Corner {
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
