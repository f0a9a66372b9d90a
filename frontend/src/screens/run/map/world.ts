import type { RunMap, World } from "@/api/types";
import { count, plural, setting } from "@/lib/number";

/** A cell by its column and row, from the top left. */
export interface Place {
  x: number;
  y: number;
}

/** What a map shows, decided before it is drawn. */
export interface WorldPicture {
  world: World;
  /** How often each cell was visited, by its id. */
  visits: readonly number[];
  /** The same from 0 to 1 by their logarithm, since the start is visited far more often; null: never. */
  shares: readonly (number | null)[];
  most: number;
  total: number;
  visited: number;
  /** Cells that are connected by a line. */
  path: readonly Place[];
  /** Cells in which an episode of training begins most often, with the share of the archive's episodes. */
  frontier: readonly (Place & { weight: number })[];
  /** Where rooms end: columns and rows at which a line is drawn. */
  walls: { columns: readonly number[]; rows: readonly number[] };
}

/** Lays out a map with a `path` of cells; null without a world. */
export function picture(
  { world, cells, frontier }: RunMap,
  path: readonly number[] = [],
): WorldPicture | null {
  if (!world) return null;
  const { columns, rows, rooms_across, rooms_down } = world;
  const visits = new Array<number>(columns * rows).fill(0);
  for (const { id, visits: n } of cells) visits[id] = n;
  const most = Math.max(0, ...visits);
  const shares = visits.map((n) => (n === 0 ? null : most === 1 ? 1 : shareOf(n, most)));
  const ends = (count: number, size: number) =>
    Array.from({ length: count - 1 }, (_, place) => ((place + 1) * size) / count);
  return {
    world: { ...world, rooms: world.rooms.map(titled) },
    visits,
    shares,
    most,
    total: visits.reduce((sum, n) => sum + n, 0),
    visited: cells.length,
    path: path.filter((id) => id < columns * rows).map((id) => placeOf(world, id)),
    frontier,
    walls: { columns: ends(rooms_across, columns), rows: ends(rooms_down, rows) },
  };
}

const SMALL_WORDS = /^(?:a|an|and|at|by|for|from|in|of|on|the|to)$/;

/** A name with the capitals of a title, such as “The Quiet Grove” or “House at the Shore”. */
function titled(name: string): string {
  return name
    .split(" ")
    .map((word, place) => (place > 0 && SMALL_WORDS.test(word) ? word : capital(word)))
    .join(" ");
}

/** Never 0, so that a cell that was visited once can be told from one that was not. */
function shareOf(visits: number, most: number): number {
  return 0.1 + (0.9 * Math.log(visits)) / Math.log(most);
}

export function idOf({ columns }: World, { x, y }: Place): number {
  return y * columns + x;
}

export function placeOf({ columns }: World, id: number): Place {
  return { x: id % columns, y: Math.floor(id / columns) };
}

/** The place that an arrow key, Home or End leads to; null for other keys. */
export function movedBy(key: string, { x, y }: Place, { columns, rows }: World): Place | null {
  const limited = (value: number, size: number) => Math.min(Math.max(value, 0), size - 1);
  switch (key) {
    case "ArrowLeft":
      return { x: limited(x - 1, columns), y };
    case "ArrowRight":
      return { x: limited(x + 1, columns), y };
    case "ArrowUp":
      return { x, y: limited(y - 1, rows) };
    case "ArrowDown":
      return { x, y: limited(y + 1, rows) };
    case "Home":
      return { x: 0, y };
    case "End":
      return { x: columns - 1, y };
    default:
      return null;
  }
}

/** The name of the room that a place is in; null if the world has no rooms. */
export function roomOf(world: World, { x, y }: Place): string | null {
  const across = Math.floor((x * world.rooms_across) / world.columns);
  const down = Math.floor((y * world.rooms_down) / world.rows);
  return world.rooms[down * world.rooms_across + across] ?? null;
}

const MARKS: Record<string, string> = { S: "start", G: "goal", H: "hole", C: "cliff" };

/** The name of a square with a mark, such as “goal”; null for others. */
export function markOf(world: World, { x, y }: Place): string | null {
  return MARKS[world.marks[y * world.columns + x] ?? ""] ?? null;
}

/** Whether no episode can ever begin in a square, because of its mark. */
export function neverBegins(world: World, place: Place): boolean {
  return ["goal", "hole", "cliff"].includes(markOf(world, place) ?? "");
}

/** One place in a sentence: where it is, and how often it was visited. */
export function describePlace(drawn: WorldPicture, place: Place): string {
  const { world, visits, total, frontier } = drawn;
  const n = visits[idOf(world, place)] ?? 0;
  const share = n > 0 && total > 0 ? ` (${percent(n / total)})` : "";
  const begins = frontier.find(({ x, y }) => x === place.x && y === place.y);
  const archive = begins ? `, ${percent(begins.weight)} of the archive's episodes begin here` : "";
  const visited = n === 0 ? "never visited" : `${plural(n, "visit")}${share}`;
  return `${whereIs(world, place)}: ${visited}${archive}`;
}

/** The name of a cell, such as “The Quiet Grove, column 2, row 3”. */
export function nameOfCell(world: World, id: number): string {
  return whereIs({ ...world, rooms: world.rooms.map(titled) }, placeOf(world, id));
}

/** Where a place is: its room or mark, and its column and row; or the ranges that it stands for. */
export function whereIs(world: World, place: Place): string {
  const { across, down } = world;
  if (across && down) {
    return capital(
      `${range(across, place.x, world.columns)}, ${range(down, world.rows - 1 - place.y, world.rows)}`,
    );
  }
  const [width, height] = [world.columns / world.rooms_across, world.rows / world.rooms_down];
  const inside = `column ${(place.x % width) + 1}, row ${(place.y % height) + 1}`;
  const named = roomOf(world, place) ?? markOf(world, place);
  return named === null ? capital(inside) : `${capital(named)}, ${inside}`;
}

function range(axis: NonNullable<World["across"]>, place: number, cells: number): string {
  const at = (edge: number) =>
    setting(Number((axis.low + ((axis.high - axis.low) * edge) / cells).toPrecision(3)));
  return `${axis.label} ${at(place)} to ${at(place + 1)}${axis.unit && ` ${axis.unit}`}`;
}

/** A share with a decimal below 1 %, as most cells of a large world have: `0.6 %`, `3 %`. */
export function percent(share: number): string {
  const hundredths = share * 100;
  if (hundredths < 0.1) return "under 0.1 %";
  return `${hundredths < 0.95 ? hundredths.toFixed(1) : Math.round(hundredths)} %`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The step of the newest map up to `moment`, or of the first one; null: that of the newest map, which is live. */
export function stepOfMap(steps: readonly number[], moment: number): number | null {
  const step = steps.findLast((one) => one <= moment) ?? steps[0] ?? null;
  return step === steps.at(-1) ? null : step;
}

/** The whole map in a sentence. */
export function describeMap({ visited, visits }: WorldPicture, step: number): string {
  return `${count(visited)} of ${plural(visits.length, "cell")} visited up to step ${count(step)}`;
}
