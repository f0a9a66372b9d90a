"use client";

import { Keyboard } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import type { PlaybackController } from "./playback-controller";
import { Scrubber } from "./scrubber";
import { type Chapter, handleKey } from "./shortcuts";
import { ShortcutList } from "./shortcut-list";
import { Key, Transport } from "./transport";

interface PlayerProps {
  label: string;
  controller: PlaybackController;
  chapters: readonly Chapter[];
  /** Moments to mark on the time bar. */
  ticks?: readonly Chapter[];
  /** The video or videos. */
  children: ReactNode;
}

/** Videos, time bar and buttons. The keys work while the focus is anywhere within. */
export function Player({ label, controller, chapters, ticks, children }: PlayerProps) {
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
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || ownKey(event.target, event.key)) return;
    if (handleKey(event, { controller, chapters, toggleFullScreen })) {
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
      {children}
      <Scrubber controller={controller} chapters={chapters} ticks={ticks} />
      <Transport controller={controller} onFullScreen={toggleFullScreen}>
        <Key
          label="Keyboard shortcuts"
          expanded={help}
          controls={listId}
          onPress={() => setHelp(!help)}
        >
          <Keyboard aria-hidden className="size-4" />
        </Key>
      </Transport>
      {help && <ShortcutList id={listId} />}
    </div>
  );
}

/** Whether the focused control handles the key itself. */
function ownKey(target: EventTarget, key: string): boolean {
  if (target instanceof HTMLSelectElement) return key !== "Escape";
  return target instanceof HTMLButtonElement && (key === " " || key === "Enter");
}
