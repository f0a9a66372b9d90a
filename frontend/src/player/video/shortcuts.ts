import type { PlaybackController } from "./playback-controller";

/** A named part of the time bar. */
export interface Chapter {
  label: string;
  /** Its beginning in seconds. */
  start: number;
}

export interface ShortcutContext {
  controller: PlaybackController;
  chapters: readonly Chapter[];
  toggleFullScreen: () => void;
  /** Opens the menu of other actions at the step on the screen; only a recorded episode has it. */
  tryOther?: () => void;
}

interface PlayerShortcut {
  keys: readonly string[];
  /** Names of the keys, as in `aria-keyshortcuts`. */
  shown: readonly string[];
  does: string;
  run: (context: ShortcutContext, key: string) => void;
  /** Whether only players of recorded episodes have it. */
  ofRecorded?: boolean;
}

const SECONDS = 1;

export const PLAYER_SHORTCUTS: readonly PlayerShortcut[] = [
  {
    keys: [" ", "k"],
    shown: ["Space", "K"],
    does: "Play or pause",
    run: ({ controller }) => controller.toggle(),
  },
  {
    keys: ["ArrowLeft", "ArrowRight"],
    shown: ["←", "→"],
    does: "One frame back or forward",
    run: ({ controller }, key) => controller.step(key === "ArrowLeft" ? -1 : 1),
  },
  {
    keys: ["j", "l"],
    shown: ["J", "L"],
    does: "One second back or forward",
    run: ({ controller }, key) =>
      controller.seek(controller.time.get() + (key === "j" ? -SECONDS : SECONDS)),
  },
  {
    keys: ["p", "n"],
    shown: ["P", "N"],
    does: "Previous or next episode",
    run: ({ controller, chapters }, key) => {
      const target = chapters[neighbour(chapters, controller.time.get(), key === "p" ? -1 : 1)];
      if (target) controller.seek(target.start);
    },
  },
  {
    keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"],
    shown: ["1", "–", "9"],
    does: "Jump to an episode",
    run: ({ controller, chapters }, key) => {
      const target = chapters[Number(key) - 1];
      if (target) controller.seek(target.start);
    },
  },
  {
    keys: ["Home", "End"],
    shown: ["Home", "End"],
    does: "To the beginning or the end",
    run: ({ controller }, key) =>
      controller.seek(key === "Home" ? 0 : controller.state.get().duration),
  },
  {
    keys: ["ArrowDown", "ArrowUp"],
    shown: ["↓", "↑"],
    does: "Slower or faster",
    run: ({ controller }, key) => controller.shiftRate(key === "ArrowDown" ? -1 : 1),
  },
  { keys: ["r"], shown: ["R"], does: "Loop", run: ({ controller }) => controller.toggleLoop() },
  {
    keys: ["f"],
    shown: ["F"],
    does: "Full screen",
    run: ({ toggleFullScreen }) => toggleFullScreen(),
  },
  {
    keys: ["o"],
    shown: ["O"],
    does: "Try another action at this step",
    run: ({ tryOther }) => tryOther?.(),
    ofRecorded: true,
  },
];

interface PressedKey {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** Runs the shortcut of a key. Returns false if the key has none. */
export function handleKey(event: PressedKey, context: ShortcutContext): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const shortcut = PLAYER_SHORTCUTS.find(({ keys }) => keys.includes(key));
  if (!shortcut || (shortcut.ofRecorded && !context.tryOther)) return false;
  shortcut.run(context, key);
  return true;
}

/** Index of the chapter at `time` seconds; -1 without chapters. */
export function chapterAt(chapters: readonly Chapter[], time: number): number {
  const slack = 1e-3;
  return Math.max(
    chapters.length > 0 ? 0 : -1,
    chapters.findLastIndex(({ start }) => start <= time + slack),
  );
}

/** Seconds into a chapter after which "previous" goes to the chapter's beginning. */
const INTO = 1;

function neighbour(chapters: readonly Chapter[], time: number, by: 1 | -1): number {
  const at = chapterAt(chapters, time);
  const begun = chapters[at]?.start ?? 0;
  return by === -1 && time - begun > INTO ? at : Math.max(0, at + by);
}
