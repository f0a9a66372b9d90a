import { pointerTo } from "@/api/http";
import type { GameContent, GameDescription, GameFileProblem, Tap, TapType } from "@/api/types";
import { parseNumber, setting } from "@/lib/number";

/** A `game.toml` as it is typed: every value is text. */
export interface GameDraft {
  values: Readonly<Record<ValueName, string>>;
  taps: readonly TapDraft[];
  cell: Readonly<Record<CellName, string>>;
  components: readonly ComponentDraft[];
  /** Keys that the form does not know, as they were. */
  rest: GameContent;
}

export interface TapDraft {
  /** Identifies the row while it is edited. */
  key: string;
  name: string;
  address: string;
  type: TapType;
  bytes: string;
  bit: string;
  unit: string;
  low: string;
  high: string;
}

export interface ComponentDraft {
  key: string;
  name: string;
  value: string;
}

const TEXTS = [
  "name",
  "summary",
  "rom_sha256",
  "start_state",
  "observation",
  "done",
  "success",
] as const;
const WHOLE = ["frame_skip", "hold", "max_episode_steps", "boot_frames", "random_frames"] as const;
const VALUES = [...TEXTS, ...WHOLE, "reward_threshold", "buttons"] as const;
const CELL_TEXTS = ["x", "y"] as const;
const CELL_NUMBERS = ["columns", "rows", "rooms_across", "rooms_down"] as const;
const CELL = [...CELL_TEXTS, ...CELL_NUMBERS, "rooms"] as const;

export type ValueName = (typeof VALUES)[number];
export type CellName = (typeof CELL)[number];

/** Types of taps with what they mean. */
export const TAP_TYPES: Record<TapType, string> = {
  u8: "byte",
  i8: "byte, signed",
  u16: "word, low byte first",
  u16be: "word, high byte first",
  i16: "word, signed",
  bcd: "decimal digits",
  bit: "one bit",
};

/** The draft of a game: what its file says, or a first description of a game without one. */
export function draftOf(game: GameDescription): GameDraft {
  return draftFrom(
    game.content ?? {
      name: titleOf(game.name),
      ...(game.rom_sha256 !== null && { rom_sha256: game.rom_sha256 }),
    },
  );
}

export function draftFrom(content: GameContent): GameDraft {
  const { taps, cell, components, ...others } = content as Record<string, unknown>;
  const rest = Object.fromEntries(
    Object.entries(others).filter(([name]) => !(VALUES as readonly string[]).includes(name)),
  ) as GameContent;
  return {
    values: texts(VALUES, others),
    taps: records(taps).map((tap) => tapDraft(tap)),
    cell: texts(CELL, isRecord(cell) ? cell : {}),
    components: Object.entries(isRecord(components) ? components : {}).map(([name, value]) => ({
      ...{ key: newKey(), name, value: textOf(value) },
    })),
    rest,
  };
}

/** A row of a tap. */
export function tapDraft(tap: Record<string, unknown>): TapDraft {
  const { address } = tap;
  const type = String(tap.type ?? "u8");
  return {
    key: newKey(),
    ...texts(["name", "bytes", "bit", "unit", "low", "high"] as const, tap),
    address: typeof address === "number" ? addressText(address) : textOf(address),
    type: type as TapType,
  };
}

/** The content of the file that a draft stands for. What is not a number stays text, which the service refuses. */
export function contentOf(draft: GameDraft): GameContent {
  const { values, taps, cell, components, rest } = draft;
  const content: Record<string, unknown> = { ...rest };
  for (const name of TEXTS) put(content, name, values[name].trim() || null);
  for (const name of WHOLE) put(content, name, numberOrText(values[name]));
  put(content, "reward_threshold", numberOrText(values.reward_threshold));
  put(content, "buttons", listOf(values.buttons));
  if (taps.length > 0) content.taps = taps.map(tapContent);
  const cells: Record<string, unknown> = {};
  for (const name of CELL_TEXTS) put(cells, name, cell[name].trim() || null);
  for (const name of CELL_NUMBERS) put(cells, name, numberOrText(cell[name]));
  put(cells, "rooms", listOf(cell.rooms));
  if (Object.keys(cells).length > 0) content.cell = cells;
  const known = components.filter(({ name, value }) => name.trim() !== "" || value.trim() !== "");
  if (known.length > 0) {
    content.components = Object.fromEntries(
      known.map(({ name, value }) => [name.trim(), value.trim()]),
    );
  }
  return content as GameContent;
}

function tapContent({ name, address, type, bytes, bit, unit, low, high }: TapDraft) {
  const tap: Record<string, unknown> = { name: name.trim() };
  put(tap, "address", parseAddress(address) ?? (address.trim() || null));
  if (type !== "u8") tap.type = type;
  put(tap, "bytes", numberOrText(bytes));
  put(tap, "bit", numberOrText(bit));
  put(tap, "unit", unit.trim() || null);
  put(tap, "low", numberOrText(low));
  put(tap, "high", numberOrText(high));
  return tap;
}

/** The expressions of a draft by their pointer. */
export function expressionsOf({ values, cell, components }: GameDraft): Record<string, string> {
  const found: Record<string, string> = {
    "/done": values.done,
    "/success": values.success,
    "/cell/x": cell.x,
    "/cell/y": cell.y,
  };
  for (const { name, value } of components) found[componentPointer(name)] = value;
  return Object.fromEntries(
    Object.entries(found).filter(([, text]) => text.trim() !== "" && text.length <= 500),
  );
}

export function componentPointer(name: string): string {
  return pointerTo("components", name.trim());
}

const NAME = /^[a-z][a-z0-9_]{0,39}$/;

/** The taps whose values can be shown, with the place of each row among them; null: its row is not complete. */
export function readableTaps(rows: readonly TapDraft[]): {
  taps: Tap[];
  places: (number | null)[];
} {
  const taps: Tap[] = [];
  const places = rows.map((row) => {
    const address = parseAddress(row.address);
    const bytes = optionalWithin(row.bytes, 1, 4);
    const bit = optionalWithin(row.bit, 0, 7);
    const fits = NAME.test(row.name.trim()) && row.type in TAP_TYPES;
    if (address === null || bytes === undefined || bit === undefined || !fits) return null;
    return taps.push({ name: row.name.trim(), address, type: row.type, bytes, bit, unit: "" }) - 1;
  });
  return { taps, places };
}

/** An address as people type it: `0xC001`, `$C001` or `C001`. Null for anything else. */
export function parseAddress(text: string): number | null {
  const digits = /^(?:0x|\$)?([0-9a-f]{1,4})$/i.exec(text.trim())?.[1];
  return digits === undefined ? null : parseInt(digits, 16);
}

export function addressText(address: number): string {
  return address < 0 ? String(address) : `0x${address.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The first problem of a field or of a part of it, with its place in the file. */
export function problemAt(
  problems: readonly GameFileProblem[],
  pointer: string,
): string | undefined {
  const found = problems.find(
    (one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`),
  );
  return found && `${placeOf(found)}: ${found.detail}`;
}

export function placeOf({ line, column }: GameFileProblem): string {
  return `Line ${line}, column ${column}`;
}

/** A name that several components have; null: each has its own. A table can have each name once. */
export function repeatedComponent({ components }: GameDraft): string | null {
  const names = components.map(({ name }) => name.trim());
  return names.find((name, place) => name !== "" && names.indexOf(name) !== place) ?? null;
}

/** `my-lamp_2` becomes `My lamp 2`. */
function titleOf(folder: string): string {
  const words = folder.replace(/[-_]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

let rows = 0;

/** Identifies a new row on this page. */
export function newKey(): string {
  return `${(rows += 1)}-${Math.random().toString(36).slice(2, 8)}`;
}

function put(into: Record<string, unknown>, name: string, value: unknown) {
  if (value !== null) into[name] = value;
}

function numberOrText(text: string): number | string | null {
  if (text.trim() === "") return null;
  const value = parseNumber(text);
  return Number.isFinite(value) ? value : text.trim();
}

function optionalWithin(text: string, least: number, most: number): number | null | undefined {
  if (text.trim() === "") return null;
  const value = parseNumber(text);
  return Number.isInteger(value) && value >= least && value <= most ? value : undefined;
}

function listOf(text: string): string[] | null {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return parts.length > 0 ? parts : null;
}

function texts<Name extends string>(
  names: readonly Name[],
  from: Record<string, unknown>,
): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, textOf(from[name])])) as Record<
    Name,
    string
  >;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  return typeof value === "string" ? value : setting(value);
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface KeptDraft {
  /** Of the version that was edited. */
  digest: string | null;
  draft: GameDraft;
}

const keyOf = (game: string) => `rlviz.game.${game}`;

/** Keeps unsaved changes in this tab, so that a reload loses nothing; null forgets them. */
export function keepDraft(game: string, kept: KeptDraft | null) {
  try {
    if (kept === null) sessionStorage.removeItem(keyOf(game));
    else sessionStorage.setItem(keyOf(game), JSON.stringify(kept));
  } catch {
    // The browser forbids storage.
  }
}

export function keptDraft(game: string): KeptDraft | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keyOf(game)) ?? "null") as KeptDraft | null;
    return kept && isRecord(kept.draft) && Array.isArray(kept.draft.taps) ? kept : null;
  } catch {
    return null;
  }
}
