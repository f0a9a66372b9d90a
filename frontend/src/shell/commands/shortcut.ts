export type ShellCommand =
  | "palette"
  | "shortcuts"
  | "home"
  | "compare"
  | "explain"
  | "play"
  | "experiments"
  | "analyse"
  | "storage"
  | "trash"
  | "settings"
  | "new";

export interface Press {
  key: string;
  /** Control, or Command on a Mac. */
  mod: boolean;
  alt: boolean;
  /** Whether the key belongs to a field, a menu or a dialog. */
  taken: boolean;
  /** Time in milliseconds of any monotonic clock. */
  at: number;
}

export interface Reading {
  command: ShellCommand | null;
  /** When `g` was pressed, while its second key is awaited. */
  goSince: number | null;
}

const PATIENCE = 1_200;
const afterGo: Record<string, ShellCommand> = {
  h: "home",
  c: "compare",
  e: "explain",
  p: "play",
  x: "experiments",
  a: "analyse",
  s: "storage",
  t: "trash",
  ",": "settings",
  n: "new",
};
const alone: Record<string, ShellCommand> = { n: "new", "?": "shortcuts" };

/** The command for a key press, with `g` pressed before at `goSince`. Only Ctrl+K (⌘K) works everywhere. */
export function readPress(press: Press, goSince: number | null): Reading {
  const key = press.key.toLowerCase();
  const nothing: Reading = { command: null, goSince: null };
  if (press.mod) return key === "k" && !press.alt ? { ...nothing, command: "palette" } : nothing;
  if (press.taken || press.alt) return nothing;
  const going = goSince !== null && press.at - goSince <= PATIENCE;
  if (going) return { ...nothing, command: afterGo[key] ?? null };
  if (key === "g") return { ...nothing, goSince: press.at };
  return { ...nothing, command: alone[key] ?? null };
}

const OWNERS =
  "input:not([type=checkbox], [type=radio], [type=range], [type=button]), textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=menu], [role=listbox], [role=application]";

/** Whether keys pressed on this element belong to it and not to the shell. */
export function isTaken(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(OWNERS) !== null;
}
