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
  /** Moments within the chapters, as ticks on the time bar. */
  ticks?: readonly Chapter[];
  /** The pictures: one video or several. */
  children: ReactNode;
}

/** Pictures, time bar and buttons; every key works while anything in it has the focus. */
export function Player({ label, controller, chapters, ticks, children }: PlayerProps) {
  const frame = useRef<HTMLDivElement>(null);
  const listId = useId();
  const [help, setHelp] = useState(false);
  const toggleFullScreen = () => {
    const change = document.fullscreenElement
      ? document.exitFullscreen()
      : frame.current?.requestFullscreen?.();
    // A page inside a frame may not be allowed to fill the screen. Everything else still works.
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

/** Keys that the control in focus needs for itself. */
function ownKey(target: EventTarget, key: string): boolean {
  if (target instanceof HTMLSelectElement) return key !== "Escape";
  return target instanceof HTMLButtonElement && (key === " " || key === "Enter");
}
