"use client";

import clsx from "clsx";
import { Maximize2, X } from "lucide-react";
import {
  createContext,
  type ReactNode,
  type RefObject,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from "react";
import { apiLink } from "@/api/http";
import { useInView } from "@/lib/media";
import styles from "./stage.module.css";

interface StageProps {
  /** Of the view: "Live". */
  label: string;
  /** Which policy is seen, for the small window. */
  caption: string;
  corner: Corner;
  /**
   * A picture of the environment, shown until there is something better; null: there is something better, or no
   * picture.
   */
  stillUrl: string | null;
  children?: ReactNode;
}

/** Opens the place of a stage that is not on the page now; null if it is always on the page. */
const ReturnContext = createContext<(() => void) | null>(null);
export const ReturnToStage = ReturnContext.Provider;

/**
 * Where the agent is seen: a place of fixed shape on the page, or a small window that is docked: in the foot of the
 * sidebar, and on a phone in a bar above the bottom bar. It covers nothing that can be pressed.
 */
export function Stage({ label, caption, corner, stillUrl, children }: StageProps) {
  const { place, afloat, close } = corner;
  const picture = useRef<HTMLDivElement>(null);
  const comeBack = useContext(ReturnContext);
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
      className="aspect-3/2 max-h-[75vh] w-full scroll-my-28 rounded-md border border-line bg-sunken in-[:fullscreen]:aspect-auto in-[:fullscreen]:max-h-none in-[:fullscreen]:min-h-0 in-[:fullscreen]:grow"
    >
      <div
        ref={picture}
        role={afloat ? "group" : undefined}
        aria-label={afloat ? `${label}, docked` : undefined}
        data-small-window={afloat || undefined}
        className={clsx(
          "group/stage overflow-hidden",
          afloat
            ? "visible fixed z-bar animate-rise border-line-strong bg-raised shadow-float"
            : "relative size-full rounded-md",
          afloat && styles.docked,
        )}
      >
        <div className={clsx("relative bg-sunken", afloat ? styles.picture : "size-full")}>
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
          <div className={styles.caption}>
            <p
              aria-hidden
              title={caption}
              className="min-w-0 grow truncate text-2xs text-ink-soft tabular-nums"
            >
              {caption}
            </p>
            <DockKey
              label="Back to full size"
              onPress={() =>
                comeBack ? comeBack() : place.current?.scrollIntoView({ block: "center" })
              }
            >
              <Maximize2 aria-hidden className="size-3.5" />
            </DockKey>
            <DockKey label="Close the small window" keys="Escape" onPress={close}>
              <X aria-hidden className="size-4" />
            </DockKey>
          </div>
        )}
      </div>
    </div>
  );
}

interface DockKeyProps {
  label: string;
  keys?: string;
  onPress: () => void;
  children: ReactNode;
}

function DockKey({ label, keys, onPress, children }: DockKeyProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-keyshortcuts={keys}
      title={label}
      onClick={onPress}
      className="grid size-6 shrink-0 place-items-center rounded-md text-ink-soft hover:bg-rest-tint hover:text-ink max-md:size-11"
    >
      {children}
    </button>
  );
}

interface StageNoteProps {
  alert?: boolean;
  children: ReactNode;
}

/** Text on the stage instead of a picture: why there is none, and what the user can do. */
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

/** If the small `picture` is a bar across the window and covers the focused element, scrolls the page. */
function useClearOfFocus(picture: RefObject<HTMLElement | null>, afloat: boolean) {
  // External system: the document's focus.
  useEffect(() => {
    if (!afloat) return;
    const onFocus = ({ target }: FocusEvent) => {
      const small = picture.current;
      if (!small || !(target instanceof Element) || small.contains(target)) return;
      const place = small.getBoundingClientRect();
      if (covers(place, target.getBoundingClientRect()))
        target.scrollIntoView({ block: "nearest" });
    };
    document.addEventListener("focusin", onFocus);
    return () => document.removeEventListener("focusin", onFocus);
  }, [picture, afloat]);
}

/**
 * Whether `small` hides part of `focused`. Elements higher than half the window stay visible beside it in any position.
 */
function covers(small: DOMRect, focused: DOMRect): boolean {
  return (
    focused.height < window.innerHeight / 2 &&
    focused.top < small.bottom &&
    focused.bottom > small.top &&
    focused.left < small.right &&
    focused.right > small.left
  );
}

/** Where a picture is shown: in its place on the page, or small in the dock. */
interface Corner {
  /** The place on the page. */
  place: RefObject<HTMLDivElement | null>;
  /** Whether the place is in view; null until known. */
  inView: boolean | null;
  afloat: boolean;
  /** The user closed the small window. It may appear again after the place was in view. */
  closed: boolean;
  close: () => void;
}

/**
 * Keeps a picture in view: if the place of something that is `playing` scrolls out of view, it continues docked until
 * the user closes it.
 */
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
