import type { QTableFile } from "@/api/run-record";
import { compact, decimal } from "@/lib/number";

export interface Cell {
  state: number;
  letter: string;
  terminal: boolean;
  visited: boolean;
  /** Value of the best action; null in unvisited and terminal states. */
  value: number | null;
  /** Indices of the best actions; several if they are equal. */
  best: number[];
  /** How often an action was taken in it; null if not counted. */
  visits: number | null;
  /** The quantity that is drawn; null: there is none. */
  shown: number | null;
  /** The quantity relative to the table's range, from 0 to 1; that of visits by their logarithm. */
  share: number;
}

/** What the squares show: the value of the best action, or how often the state was visited. */
export type Quantity = "value" | "visits";

export interface QPicture {
  quantity: Quantity;
  rows: Cell[][];
  /** The range of the quantity. */
  low: number;
  high: number;
  visited: number;
}

/** The greedy policy and its values, or the visits, laid out as the grid; without one, in rows of equal length. */
export function picture(file: QTableFile, quantity: Quantity = "value"): QPicture {
  const columns = file.shape?.[1] ?? Math.ceil(Math.sqrt(file.states * 1.6));
  const letters = (file.map ?? []).join("");
  const cells = file.q.map((values, state) => cellOf(file, values, state, letters[state] ?? ""));
  for (const cell of cells) cell.shown = quantity === "visits" ? cell.visits || null : cell.value;
  const known = cells.flatMap(({ shown }) => (shown === null ? [] : [shown]));
  const [low, high] = known.length > 0 ? [Math.min(...known), Math.max(...known)] : [0, 0];
  // Where episodes begin is visited a thousand times as often as what lies far away.
  const height = quantity === "visits" ? Math.log : (value: number) => value;
  const span = height(high) - height(low);
  const rows: Cell[][] = [];
  cells.forEach((cell, i) => {
    const share =
      cell.shown === null || high === low ? 0 : (height(cell.shown) - height(low)) / span;
    (rows[Math.floor(i / columns)] ??= []).push({ ...cell, share });
  });
  const visited = cells.filter((cell) => cell.visited).length;
  return { quantity, rows, low, high, visited };
}

/** The quantity of a cell, in words. */
export function shownAs(quantity: Quantity, shown: number): string {
  return quantity === "visits" ? compact(shown) : decimal(shown);
}

function cellOf(file: QTableFile, values: number[], state: number, letter: string): Cell {
  const terminal = isTerminal(file, state, letter);
  const counts = file.visits?.[state];
  const visits = counts ? counts.reduce((sum, n) => sum + n, 0) : null;
  const visited = visits === null ? values.some((value) => value !== 0) : visits > 0;
  const known = visited && !terminal;
  const value = known ? Math.max(...values) : null;
  const best = known ? values.flatMap((q, action) => (q === value ? [action] : [])) : [];
  return { state, letter, terminal, visited, value, visits, best, shown: null, share: 0 };
}

function isTerminal({ terminal }: QTableFile, state: number, letter: string): boolean {
  const isListed =
    typeof terminal[0] === "boolean"
      ? terminal[state] === true
      : (terminal as number[]).includes(state);
  return isListed || letter === "H" || letter === "G" || letter === "C";
}

const ARROWS: Record<string, string> = { left: "←", down: "↓", right: "→", up: "↑" };

/** An arrow for an action that is a direction, otherwise the action's name. */
export function sign(action: string): string {
  const word = action.toLowerCase().match(/left|down|right|up/)?.[0];
  return (word && ARROWS[word]) ?? action;
}

const NAMES: Record<string, string> = { S: "start", G: "goal", H: "hole", C: "cliff" };

export function squareName(letter: string): string | undefined {
  return NAMES[letter];
}
