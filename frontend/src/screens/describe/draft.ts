import { hashKey } from "@tanstack/react-query";
import { pointerTo } from "@/api/http";
import type {
  GameContent,
  GameDescription,
  GameFileProblem,
  Limits,
  Tap,
  TapType,
} from "@/api/types";
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
const CELL_TEXTS = ["x", "y", "stage"] as const;
const CELL_NUMBERS = ["columns", "rows", "rooms_across", "rooms_down", "stages"] as const;
const CELL = [...CELL_TEXTS, ...CELL_NUMBERS, "rooms"] as const;

const TAP_WHOLE = ["bytes", "bit"] as const;
const TAP_NUMBERS = ["low", "high"] as const;
/** The fields of a tap, in their order. */
export const TAP_FIELDS = [
  "name",
  "address",
  "type",
  ...TAP_WHOLE,
  "unit",
  ...TAP_NUMBERS,
] as const;

export type ValueName = (typeof VALUES)[number];
export type CellName = (typeof CELL)[number];

/** The limits of the service that decide which taps and expressions a session accepts. */
export type DraftLimits = Pick<
  Limits,
  "game_name" | "game_taps" | "game_expression" | "tap_bytes" | "tap_bit"
>;

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
    cell: cellDraft(isRecord(cell) ? cell : {}),
    components: Object.entries(isRecord(components) ? components : {}).map(([name, value]) => ({
      ...{ key: newKey(), name, value: textOf(value) },
    })),
    rest,
  };
}

function cellDraft(cell: Record<string, unknown>): GameDraft["cell"] {
  const { rooms } = cell;
  return {
    ...texts(CELL, cell),
    ...(Array.isArray(rooms) && { rooms: linesOf(rooms.map(textOf)) }),
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
  put(content, "buttons", partsOf(values.buttons));
  if (taps.length > 0) content.taps = taps.map(tapContent);
  const cells: Record<string, unknown> = {};
  for (const name of CELL_TEXTS) put(cells, name, cell[name].trim() || null);
  for (const name of CELL_NUMBERS) put(cells, name, numberOrText(cell[name]));
  put(cells, "rooms", namesOf(cell.rooms));
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

/** The expressions of a draft by their pointer, without those that are empty or too long. */
export function expressionsOf(
  { values, cell, components }: GameDraft,
  { game_expression: { maximum } }: DraftLimits,
): Record<string, string> {
  const found: Record<string, string> = {
    "/done": values.done,
    "/success": values.success,
    "/cell/x": cell.x,
    "/cell/y": cell.y,
    "/cell/stage": cell.stage,
  };
  for (const { name, value } of components) found[componentPointer(name)] = value;
  return Object.fromEntries(
    Object.entries(found).filter(([, text]) => text.trim() !== "" && text.length <= maximum),
  );
}

export function componentPointer(name: string): string {
  return pointerTo("components", name.trim());
}

/** The tap of a row; null: it is not complete, so its value cannot be shown. */
function readableTap(row: TapDraft, limits: DraftLimits): Tap | null {
  const address = parseAddress(row.address);
  const bytes = wholeWithin(row.bytes, limits.tap_bytes);
  const bit = wholeWithin(row.bit, limits.tap_bit);
  const fits = new RegExp(limits.game_name).test(row.name.trim()) && row.type in TAP_TYPES;
  if (address === null || bytes === undefined || bit === undefined || !fits) return null;
  return { name: row.name.trim(), address, type: row.type, bytes, bit, unit: "" };
}

/** The taps whose values can be shown, by the key of their row, in the order in which the session is asked for them. */
export type ReadableTaps = ReadonlyMap<string, Tap>;

export function readableTaps(rows: readonly TapDraft[], limits: DraftLimits): ReadableTaps {
  const taps = rows.flatMap((row) => {
    const tap = readableTap(row, limits);
    return tap ? [[row.key, tap] as const] : [];
  });
  return new Map(taps.slice(0, limits.game_taps.maximum));
}

/** The place of a row among the taps that the session was asked for; null: it was not asked for what the row says. */
export function placeAmong(asked: ReadableTaps, row: TapDraft, limits: DraftLimits): number | null {
  const tap = asked.get(row.key);
  const now = readableTap(row, limits);
  const isSame =
    tap !== undefined &&
    now !== null &&
    tap.address === now.address &&
    tap.type === now.type &&
    tap.bytes === now.bytes &&
    tap.bit === now.bit;
  return isSame ? [...asked.keys()].indexOf(row.key) : null;
}

/** An address as people type it: `0xC001`, `$C001` or `C001`. Null for anything else. */
export function parseAddress(text: string): number | null {
  const digits = /^(?:0x|\$)?([0-9a-f]{1,4})$/i.exec(text.trim())?.[1];
  return digits === undefined ? null : parseInt(digits, 16);
}

export function addressText(address: number): string {
  return address < 0 ? String(address) : `0x${address.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The first problem of a field or of a part of it, with its place in the field. */
export function problemAt(problems: readonly FieldProblem[], pointer: string): string | undefined {
  const found = problems.find((one) => isWithin(one.pointer, pointer));
  if (found === undefined) return undefined;
  const { position, detail } = found;
  return position === null ? detail : `At character ${position + 1}: ${detail}`;
}

export type FieldProblem = Pick<GameFileProblem, "pointer" | "detail" | "position">;

/** The problem of the name at this pointer, such as that of a component. */
export function nameProblemAt(problems: readonly GameFileProblem[], pointer: string) {
  return problemAt(
    problems.filter(({ is_name }) => is_name),
    pointer,
  );
}

/** The problem of the value at this pointer. */
export function valueProblemAt(problems: readonly GameFileProblem[], pointer: string) {
  return problemAt(
    problems.filter(({ is_name }) => !is_name),
    pointer,
  );
}

/** A problem that is not shown at its field, so that it names its key: `taps.name: Enter a name.` */
export function withKey({ key, detail }: GameFileProblem): string {
  return key ? `${key}: ${detail}` : detail;
}

function isWithin(pointer: string, field: string): boolean {
  return pointer === field || pointer.startsWith(`${field}/`);
}

/** The problems that no field of the form shows. */
export function problemsElsewhere<Problem extends FieldProblem>(
  problems: readonly Problem[],
  { taps, components }: GameDraft,
): Problem[] {
  const fields = [
    ...VALUES.filter((name) => name !== "start_state").map((name) => pointerTo(name)),
    ...CELL.map((name) => pointerTo("cell", name)),
    ...taps.flatMap((_, place) => TAP_FIELDS.map((name) => pointerTo("taps", `${place}`, name))),
    ...components.map(({ name }) => componentPointer(name)),
  ];
  return problems.filter(({ pointer }) => !fields.some((field) => isWithin(pointer, field)));
}

/** The key without a field that a pointer is about, which can only be removed; null: there is a field. */
export function removableKey({ rest, values }: GameDraft, pointer: string): string | null {
  const found = Object.keys(rest).find((key) => isWithin(pointer, pointerTo(key)));
  if (found !== undefined) return found;
  return pointer === "/start_state" && values.start_state !== "" ? "start_state" : null;
}

/** The draft without a key that has no field. */
export function withoutKey(draft: GameDraft, key: string): GameDraft {
  if (key === "start_state") return { ...draft, values: { ...draft.values, start_state: "" } };
  const rest = Object.fromEntries(Object.entries(draft.rest).filter(([name]) => name !== key));
  return { ...draft, rest: rest as GameContent };
}

const WHOLE_WANTED = "Enter a whole number, such as 24 or 0x18.";
const NUMBER_WANTED = "Enter a number, such as 0.5 or 200.";
const ADDRESS_WANTED = "Enter an address in hexadecimal, such as C001 or 0xC001.";

/** The fields with numbers whose text is not one. */
export function numberProblems({ values, cell, taps }: GameDraft): FieldProblem[] {
  const isNumber = (text: string) => typeof numberOrText(text) !== "string";
  const isWhole = (text: string) => {
    const value = numberOrText(text);
    return value === null || Number.isInteger(value);
  };
  const fields = [
    ...WHOLE.map((name) => [[name], isWhole(values[name]), WHOLE_WANTED] as const),
    [["reward_threshold"], isNumber(values.reward_threshold), NUMBER_WANTED] as const,
    ...CELL_NUMBERS.map((name) => [["cell", name], isWhole(cell[name]), WHOLE_WANTED] as const),
    ...taps.flatMap((tap, place) => {
      const at = (name: string) => ["taps", `${place}`, name];
      const isAddress = tap.address.trim() === "" || parseAddress(tap.address) !== null;
      return [
        [at("address"), isAddress, ADDRESS_WANTED] as const,
        ...TAP_WHOLE.map((name) => [at(name), isWhole(tap[name]), WHOLE_WANTED] as const),
        ...TAP_NUMBERS.map((name) => [at(name), isNumber(tap[name]), NUMBER_WANTED] as const),
      ];
    }),
  ];
  return fields
    .filter(([, fits]) => !fits)
    .map(([path, , detail]) => ({ pointer: pointerTo(...path), detail, position: null }));
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

const HEXADECIMAL = /^0x[0-9a-f]+$/i;

function numberOf(text: string): number {
  const typed = text.trim();
  return HEXADECIMAL.test(typed) ? parseInt(typed, 16) : parseNumber(typed);
}

function numberOrText(text: string): number | string | null {
  if (text.trim() === "") return null;
  const value = numberOf(text);
  return Number.isFinite(value) ? value : text.trim();
}

/** The whole number that a text is; null: it is empty, undefined: it is none, or beyond the bounds. */
export function wholeWithin(
  text: string,
  { minimum, maximum }: Pick<Limits["tap_bit"], "minimum" | "maximum">,
): number | null | undefined {
  if (text.trim() === "") return null;
  const value = numberOf(text);
  return Number.isInteger(value) && value >= minimum && value <= maximum ? value : undefined;
}

/** The parts of a list that are separated by commas. */
function partsOf(text: string): string[] | null {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return parts.length > 0 ? parts : null;
}

/** One name a line. An empty last name is a line that ends. */
function linesOf(names: readonly string[]): string {
  return names.join("\n") + (names.at(-1) === "" ? "\n" : "");
}

/** The names of the lines, which may be empty and have commas. */
function namesOf(text: string): string[] | null {
  return text === "" ? null : text.replace(/\n$/, "").split("\n");
}

/** Whether two files mean the same to the app: the order of keys, and texts and tables that are empty, do not count. */
export function isSameFile(one: GameContent, other: GameContent): boolean {
  return hashKey([meaningOf(one)]) === hashKey([meaningOf(other)]);
}

function meaningOf(content: GameContent): Record<string, unknown> {
  const { taps, ...others } = filled(content);
  if (taps === undefined) return others;
  return { ...others, taps: Array.isArray(taps) ? taps.map(tapMeaning) : taps };
}

function tapMeaning(tap: unknown): unknown {
  if (!isRecord(tap)) return tap;
  const { type, ...others } = filled(tap);
  return { ...others, ...(type !== "u8" && { type }) };
}

/** A table without its empty values, and with its texts trimmed. */
function filled(table: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(table)
      .map(([name, value]): [string, unknown] => [
        name,
        typeof value === "string" ? value.trim() : isRecord(value) ? filled(value) : value,
      ])
      .filter(([, value]) => !isEmpty(value)),
  );
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
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
  /** SHA-256 of the ROM that was there. */
  rom: string | null;
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

/** The kept changes of a game. If another ROM is there by now, they do not say that they are for the one before. */
export function keptDraft(game: GameDescription): Omit<KeptDraft, "rom"> | null {
  let kept: KeptDraft | null;
  try {
    kept = JSON.parse(sessionStorage.getItem(keyOf(game.name)) ?? "null") as KeptDraft | null;
  } catch {
    return null;
  }
  if (!kept || !isRecord(kept.draft) || !Array.isArray(kept.draft.taps)) return null;
  const { digest, rom } = kept;
  // An earlier version of the form had fewer fields of the cell.
  const draft = { ...kept.draft, cell: { ...texts(CELL, {}), ...kept.draft.cell } };
  const isOfOther = rom !== game.rom_sha256 && draft.values.rom_sha256 === rom;
  if (!isOfOther) return { digest, draft };
  const { rom_sha256 } = draftOf(game).values;
  return { digest, draft: { ...draft, values: { ...draft.values, rom_sha256 } } };
}
