"use client";

import clsx from "clsx";
import { Keyboard, Split } from "lucide-react";
import {
  type ComponentProps,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { isFileGone } from "@/api/run-files";
import {
  type PlaybackController,
  timecode,
  usePlaybackState,
  usePlaybackTime,
} from "./playback-controller";
import { type Chapter, chapterAt, handleKey, PLAYER_SHORTCUTS } from "./shortcuts";
import { Key, Transport } from "./transport";

interface PlayerProps {
  label: string;
  controller: PlaybackController;
  chapters: readonly Chapter[];
  /** Moments to mark on the time bar. */
  ticks?: readonly Chapter[];
  /** Opens the menu of other actions for the step on the screen, at a point of the window. */
  onOther?: (point: Point) => void;
  /** The video or videos. */
  children: ReactNode;
}

/** A point of the window in pixels. */
export interface Point {
  x: number;
  y: number;
}

/** Videos, time bar and buttons. The keys work while the focus is anywhere within. */
export function Player({ label, controller, chapters, ticks, onOther, children }: PlayerProps) {
  const other = useRef<HTMLDivElement>(null);
  const press = useLongPress(onOther);
  const frame = useRef<HTMLDivElement>(null);
  const listId = useId();
  const [help, setHelp] = useState(false);
  const toggleFullScreen = () => {
    const change = document.fullscreenElement
      ? document.exitFullscreen()
      : frame.current?.requestFullscreen?.();
    // A page inside a frame may not be allowed to use full screen; everything else works.
    change?.catch(() => {});
  };
  const askBelow = () => onOther?.(belowOf(other.current));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || ownKey(event.target, event.key)) return;
    const tryOther = onOther ? askBelow : undefined;
    if (handleKey(event, { controller, chapters, toggleFullScreen, tryOther })) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  return (
    <div
      ref={frame}
      role="group"
      aria-label={label}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="@container flex min-w-0 flex-col gap-1.5 rounded-md bg-surface [&:fullscreen]:justify-center [&:fullscreen]:p-4"
    >
      <div
        className="contents"
        onContextMenu={(event) => {
          if (!onOther) return;
          event.preventDefault();
          onOther({ x: event.clientX, y: event.clientY });
        }}
        {...press}
      >
        {children}
      </div>
      <Scrubber controller={controller} chapters={chapters} ticks={ticks} />
      <Transport controller={controller} onFullScreen={toggleFullScreen}>
        {onOther && (
          <div ref={other}>
            <Key label="Try another action at this step" keys="O" onPress={askBelow}>
              <Split aria-hidden className="size-4" />
            </Key>
          </div>
        )}
        <Key
          label="Keyboard shortcuts"
          expanded={help}
          controls={listId}
          onPress={() => setHelp(!help)}
        >
          <Keyboard aria-hidden className="size-4" />
        </Key>
      </Transport>
      {help && <ShortcutList id={listId} ofRecorded={onOther !== undefined} />}
    </div>
  );
}

/** The point below an element, where its menu opens. */
function belowOf(element: Element | null): Point {
  const { left, bottom } = element?.getBoundingClientRect() ?? { left: 0, bottom: 0 };
  return { x: left, y: bottom };
}

/** Milliseconds that a finger rests before it is a long press, and pixels that it may move meanwhile. */
const LONG_PRESS = { after: 500, within: 10 };

/** Handlers that call `onLongPress` when a finger rests; the tap that ends it does nothing then. */
function useLongPress(onLongPress: ((point: Point) => void) | undefined) {
  const held = useRef<{ point: Point; timer: number; done: boolean } | null>(null);
  const letGo = () => clearTimeout(held.current?.timer);
  return {
    onPointerDown: ({ pointerType, clientX: x, clientY: y }: PointerEvent) => {
      letGo();
      held.current = null;
      if (pointerType !== "touch" || !onLongPress) return;
      const now = { point: { x, y }, timer: 0, done: false };
      now.timer = window.setTimeout(() => {
        now.done = true;
        onLongPress(now.point);
      }, LONG_PRESS.after);
      held.current = now;
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      const { point } = held.current ?? {};
      if (point && Math.hypot(clientX - point.x, clientY - point.y) > LONG_PRESS.within) letGo();
    },
    onPointerUp: letGo,
    onPointerCancel: letGo,
    onClickCapture: (event: { stopPropagation: () => void }) => {
      if (held.current?.done) event.stopPropagation();
      held.current = null;
    },
  };
}

/** Whether the focused control handles the key itself. */
function ownKey(target: EventTarget, key: string): boolean {
  if (target instanceof HTMLSelectElement) return key !== "Escape";
  return target instanceof HTMLButtonElement && (key === " " || key === "Enter");
}

interface ScrubberProps {
  controller: PlaybackController;
  chapters: readonly Chapter[];
  ticks?: readonly Chapter[];
}

/** The time bar: one stretch for each chapter, under a range input that any pointer or key can move. */
function Scrubber({ controller, chapters, ticks = [] }: ScrubberProps) {
  const { duration } = usePlaybackState(controller);
  const time = usePlaybackTime(controller, (now) => now);
  const at = chapterAt(chapters, time);
  const named = chapters[at] ? `, ${chapters[at].label}` : "";
  return (
    <div className="group relative h-6">
      <div aria-hidden className="absolute inset-x-0 top-1/2 flex h-1.5 -translate-y-1/2 gap-0.5">
        {stretches(chapters, duration).map(({ start, end }, i) => (
          <span
            key={start}
            style={{ flexGrow: Math.max(end - start, 0.001) }}
            className={clsx(
              "relative min-w-px basis-0 overflow-hidden rounded-full",
              i === at ? "bg-line-strong" : "bg-rest-tint",
            )}
          >
            <span
              className="absolute inset-0 origin-left bg-accent"
              style={{ transform: `scaleX(${share(time, start, end)})` }}
            />
          </span>
        ))}
      </div>
      {duration > 0 &&
        ticks.map(({ label, start }) => (
          <span
            key={label}
            aria-hidden
            className="pointer-events-none absolute bottom-0 h-1.5 w-0.5 -translate-x-1/2 rounded-full bg-ink-soft"
            style={{ left: `${(start / duration) * 100}%` }}
          />
        ))}
      <span
        aria-hidden
        className="pointer-events-none absolute top-1/2 size-3.5 -translate-1/2 rounded-full border-2 border-surface bg-accent shadow-card group-has-focus-visible:outline-2 group-has-focus-visible:outline-offset-1 group-has-focus-visible:outline-accent"
        style={{ left: `${duration > 0 ? (time / duration) * 100 : 0}%` }}
      />
      <input
        type="range"
        min={0}
        max={duration}
        step="any"
        value={time}
        onChange={(event) => controller.seek(Number(event.target.value))}
        aria-label="Position"
        aria-valuetext={`${timecode(time)} of ${timecode(duration)}${named}`}
        className="absolute inset-0 w-full cursor-pointer opacity-0"
      />
    </div>
  );
}

function stretches(chapters: readonly Chapter[], duration: number) {
  if (chapters.length === 0) return [{ start: 0, end: duration }];
  return chapters.map(({ start }, i) => ({ start, end: chapters[i + 1]?.start ?? duration }));
}

function share(time: number, start: number, end: number): number {
  return end > start ? Math.min(1, Math.max(0, (time - start) / (end - start))) : 0;
}

function ShortcutList({ id, ofRecorded }: { id: string; ofRecorded: boolean }) {
  return (
    <dl
      id={id}
      className="grid gap-x-6 gap-y-1 rounded-md border border-line bg-sunken px-3 py-2.5 text-xs @md:grid-cols-2"
    >
      {PLAYER_SHORTCUTS.filter((one) => ofRecorded || !one.ofRecorded).map(({ shown, does }) => (
        <div key={does} className="flex items-center justify-between gap-3">
          <dt className="text-ink-soft">{does}</dt>
          <dd className="flex gap-1">
            {shown.map((key) => (
              <kbd
                key={key}
                className="rounded-sm border border-line-strong bg-raised px-1.5 font-mono text-2xs text-ink"
              >
                {key}
              </kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface TrackProps extends ComponentProps<"video"> {
  controller: PlaybackController;
  /** Length in seconds and frames per second, from the recorder. */
  duration: number;
  fps: number;
  /** Seconds at which the part to play begins, if it is not the whole video. */
  start?: number;
}

/** A video that a playback controller plays. */
export function VideoTrack({ controller, duration, fps, start, ...rest }: TrackProps) {
  const video = useRef<HTMLVideoElement>(null);

  // External system: the element that the browser plays.
  useEffect(() => {
    if (video.current) return controller.add(video.current, duration, fps, start);
  }, [controller, duration, fps, start]);

  return (
    <video ref={video} playsInline muted preload="auto" onClick={controller.toggle} {...rest} />
  );
}

/** Why a video does not play: its file is gone, or it is there and could not be loaded. */
export type VideoTrouble = "gone" | "failed";

export const TROUBLE_TEXT: Record<VideoTrouble, string> = {
  gone: "This video is not kept any more",
  failed: "This video could not be loaded",
};

interface VideoState {
  /** Null if nothing went wrong. */
  trouble: VideoTrouble | null;
  /** To be called when the video element reports an error, which never says which. */
  onError: () => void;
  /** Loads the video again. */
  retry: () => void;
}

/** What became of the video at `url`, a link of the API. `onGone` is called once its file turns out to be gone. */
export function useVideoTrouble(url: string | null, onGone?: () => void): VideoState {
  const [found, setFound] = useState<{ url: string; trouble: VideoTrouble } | null>(null);
  // A video that is made again has no address meanwhile, and then the same one.
  if (found !== null && found.url !== url) setFound(null);
  return {
    trouble: found !== null && found.url === url ? found.trouble : null,
    onError: () => {
      if (url === null) return;
      setFound({ url, trouble: "failed" });
      void isFileGone(url).then((gone) => {
        if (!gone) return;
        setFound((now) => (now?.url === url ? { url, trouble: "gone" } : now));
        onGone?.();
      });
    },
    retry: () => setFound(null),
  };
}
