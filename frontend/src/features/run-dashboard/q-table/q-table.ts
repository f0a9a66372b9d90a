/** The content of `q_table.json`. */
export interface QTableFile {
  env_id: string;
  step: number;
  states: number;
  actions: string[];
  /** Rows and columns, if the states are the squares of a grid. */
  shape: [rows: number, columns: number] | null;
  /** A letter for each square of the grid. */
  map: string[] | null;
  q: number[][];
  /** How often each action was taken in each state. */
  visits?: number[][];
  /** A boolean for each state, or the list of terminal states. */
  terminal: boolean[] | number[];
}

export interface Cell {
  state: number;
  letter: string;
  terminal: boolean;
  visited: boolean;
  /** Value of the best action; null in unvisited and terminal states. */
  value: number | null;
  /** Indices of the best actions; several if they are equal. */
  best: number[];
  /** Value relative to the table's range, from 0 to 1. */
  share: number;
}

export interface QPicture {
  rows: Cell[][];
  low: number;
  high: number;
  visited: number;
}

/** The greedy policy and its values, laid out as the grid; without one, in rows of equal length. */
export function picture(file: QTableFile): QPicture {
  const columns = file.shape?.[1] ?? Math.ceil(Math.sqrt(file.states * 1.6));
  const letters = (file.map ?? []).join("");
  const cells = file.q.map((values, state) => cellOf(file, values, state, letters[state] ?? ""));
  const known = cells.flatMap(({ value }) => (value === null ? [] : [value]));
  const [low, high] = known.length > 0 ? [Math.min(...known), Math.max(...known)] : [0, 0];
  const rows: Cell[][] = [];
  cells.forEach((cell, i) => {
    const share = cell.value === null || high === low ? 0 : (cell.value - low) / (high - low);
    (rows[Math.floor(i / columns)] ??= []).push({ ...cell, share });
  });
  return { rows, low, high, visited: cells.filter(({ visited }) => visited).length };
}

function cellOf(file: QTableFile, values: number[], state: number, letter: string): Cell {
  const terminal = isTerminal(file, state, letter);
  const visits = file.visits?.[state];
  const visited = visits ? visits.some((n) => n > 0) : values.some((value) => value !== 0);
  const known = visited && !terminal;
  const value = known ? Math.max(...values) : null;
  const best = known ? values.flatMap((q, action) => (q === value ? [action] : [])) : [];
  return { state, letter, terminal, visited, value, best, share: 0 };
}

function isTerminal({ terminal }: QTableFile, state: number, letter: string): boolean {
  const told =
    typeof terminal[0] === "boolean"
      ? terminal[state] === true
      : (terminal as number[]).includes(state);
  return told || letter === "H" || letter === "G" || letter === "C";
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
