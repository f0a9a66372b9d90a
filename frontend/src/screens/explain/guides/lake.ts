const MAP = ["SFFF", "FHFH", "FFFH", "HFFG"] as const;
export const SIZE = 4;
export const STATES = SIZE * SIZE;

/** Left, down, right, up: the action numbers of Gymnasium's FrozenLake. */
const MOVES = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
] as const;

export type Tile = "S" | "F" | "H" | "G";

export function tile(state: number): Tile {
  return (MAP[Math.floor(state / SIZE)]?.[state % SIZE] ?? "H") as Tile;
}

/** Whether these rows of letters are the map of the lake in the picture. */
export function isTheLake(map: readonly string[]): boolean {
  return map.join() === MAP.join();
}

export interface Learning {
  episodes: number;
  alpha: number;
  gamma: number;
  initialEps: number;
  finalEps: number;
  /** Share of `plannedEpisodes` over which epsilon falls. */
  fraction: number;
  plannedEpisodes: number;
  slippery: boolean;
}

export interface Learned {
  /** Value of each action in each state: 16 rows of 4. */
  table: number[][];
  /** Number of episodes that reached the goal. */
  reached: number;
}

const MOST_STEPS = 100;

/** Q-learning (Watkins, 1989) on the 4 × 4 FrozenLake, from a table of zeros. Deterministic in the settings. */
export function learn(settings: Learning): Learned {
  const { alpha, gamma, initialEps, finalEps, fraction, plannedEpisodes } = settings;
  const random = generator(7);
  const table = Array.from({ length: STATES }, () => MOVES.map(() => 0));
  let reached = 0;
  for (let episode = 0; episode < settings.episodes; episode++) {
    const fallen = Math.min(episode / (fraction * plannedEpisodes), 1);
    const epsilon = initialEps + (finalEps - initialEps) * fallen;
    let state = 0;
    for (let step = 0; step < MOST_STEPS; step++) {
      const row = table[state] ?? [];
      const action = random() < epsilon ? Math.floor(random() * 4) : greedy(row, random);
      const next = move(state, slip(action, settings.slippery, random));
      const won = tile(next) === "G";
      const over = won || tile(next) === "H";
      const target = (won ? 1 : 0) + (over ? 0 : gamma * best(table[next] ?? []));
      row[action] = (row[action] ?? 0) + alpha * (target - (row[action] ?? 0));
      state = next;
      if (won) reached++;
      if (over) break;
    }
  }
  return { table, reached };
}

export function best(row: readonly number[]): number {
  let top = -Infinity;
  for (const value of row) if (value > top) top = value;
  return top;
}

/** An action of highest value; ties are broken at random. */
function greedy(row: readonly number[], random: () => number): number {
  const top = best(row);
  let chosen = 0;
  let equals = 0;
  for (let action = 0; action < row.length; action++) {
    if (row[action] === top && random() * ++equals < 1) chosen = action;
  }
  return chosen;
}

/** On slippery ice the agent goes in the chosen direction or to either side of it, with probability 1/3 each. */
function slip(action: number, slippery: boolean, random: () => number): number {
  return slippery ? (action + 3 + Math.floor(random() * 3)) % 4 : action;
}

export function move(state: number, action: number): number {
  const [down, right] = MOVES[action] ?? [0, 0];
  const row = Math.min(Math.max(Math.floor(state / SIZE) + down, 0), SIZE - 1);
  const column = Math.min(Math.max((state % SIZE) + right, 0), SIZE - 1);
  return row * SIZE + column;
}

/** Mulberry32, a small pseudo-random number generator, so that every browser draws the same numbers. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
