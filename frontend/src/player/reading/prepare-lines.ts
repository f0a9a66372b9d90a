import type { LearnedRewards, PolicyReading, StepRecord } from "@/api/types";
import { count, decimal, NONE } from "@/lib/number";
import { decodedState, type DrawnSpace, isPicture, nameOf, placeOf, rangeOf } from "./space";

type Values = readonly (number | null)[];

export interface EpisodeLines {
  /** Index of the first step that is kept. */
  first: number;
  /** The expected return from each step on; null for an algorithm without values. */
  expected: { name: string; values: Values } | null;
  /** The discounted return from each step on; null while it is unknown. */
  came: Values | null;
  /** The reward at each step. */
  rewards: Values;
  /** How the expected return differs from the actual one, in sentences. */
  note: string | null;
}

interface LineOptions {
  /** The expected return; null: unknown. */
  learned: LearnedRewards | null;
  isOver: boolean;
}

/** The curves over one episode. A missing value is a gap, never zero. */
export function episodeLines(
  records: readonly StepRecord[],
  { learned, isOver }: LineOptions,
): EpisodeLines {
  const name = records.map(({ reading }) => expectation(reading)?.name).find(Boolean);
  const came = isOver && learned ? returnThatCame(records, learned) : null;
  const cut = records.at(-1)?.truncated && !records.at(-1)?.terminated;
  return {
    first: records[0]?.index ?? 0,
    expected: name
      ? { name, values: records.map(({ reading }) => expectation(reading)?.value ?? null) }
      : null,
    came,
    rewards: records.map(({ reward }) => reward),
    note: [learned?.note, came && cut && CUT].filter(Boolean).join(" ") || null,
  };
}

const CUT = "A limit cut this episode off: the line does not include later rewards.";

/** The state value V(s), or the algorithm's closest equivalent. */
function expectation(reading: PolicyReading | null): { name: string; value: number } | null {
  if (!reading) return null;
  const { value, q_values: q, action_value: chosen } = reading;
  if (value !== null) return { name: "V(s)", value };
  if (q !== null && q.length > 0) return { name: "max Q(s, a)", value: rangeOf(q)[1] };
  return chosen === null ? null : { name: "Q(s, a)", value: chosen };
}

/** Discounted return of step n, of the rewards that were learned from: r(n+1) + γ·G(n+1); 0 at the last step. */
export function returnThatCame(
  records: readonly StepRecord[],
  { gamma, comparable, scale }: LearnedRewards,
): number[] | null {
  if (gamma === null || !comparable) return null;
  const returns = new Array<number>(records.length).fill(0);
  for (let n = records.length - 2; n >= 0; n -= 1) {
    const reward = records[n + 1]!.reward ?? 0;
    returns[n] = (scale === "sign" ? Math.sign(reward) : reward) + gamma * returns[n + 1]!;
  }
  return returns;
}

export interface LineScale {
  /** First and last step of the axis. */
  x: readonly [number, number];
  y: readonly [number, number];
}

/** During an episode, the axis extends beyond the newest step, so that it rarely has to be rescaled. */
const ROOMS = [1, 1.5, 2, 3, 5, 7.5];
const LEAST = 50;

/** Share of its values that the axis spans at least: less is rounding, and its labels would be the same. */
const LEAST_SPAN = 0.02;

export function lineScale(
  lines: readonly Values[],
  { first, grows, fromZero }: { first: number; grows: boolean; fromZero: boolean },
): LineScale {
  const length = Math.max(1, ...lines.map((values) => values.length));
  const last = first + length - 1;
  let low = fromZero ? 0 : Infinity;
  let high = fromZero ? 0 : -Infinity;
  for (const values of lines) {
    for (const value of values) {
      if (value === null) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) [low, high] = [0, 1];
  if (low === high) [low, high] = fromZero ? [0, 1] : [low - 0.5, high + 0.5];
  const missing = LEAST_SPAN * Math.max(Math.abs(low), Math.abs(high)) - (high - low);
  if (missing > 0) [low, high] = [low - missing / 2, high + missing / 2];
  return {
    x: [first, grows ? first + roomFor(length) : Math.max(first + 1, last)],
    y: [low, high],
  };
}

function roomFor(length: number): number {
  const decade = 10 ** Math.floor(Math.log10(Math.max(LEAST, length)));
  const room = [...ROOMS, 10].map((part) => part * decade).find((size) => size >= length);
  return Math.max(LEAST, room ?? length);
}

/** The step at a share (0 to 1) of the axis, among those that are kept. */
export function stepAt(share: number, { x: [from, to] }: LineScale, length: number): number {
  const step = Math.round(from + Math.min(1, Math.max(0, share)) * (to - from));
  return Math.min(from + Math.max(0, length - 1), step);
}

export interface ObservedValue {
  label: string;
  text: string;
  unit: string | null;
}

export type ObservationPicture =
  { kind: "values"; values: readonly ObservedValue[] } | { kind: "said"; text: string };

/** With more components than this, the rest are counted and not listed. */
const MOST = 64;

/** The observation as components with names and units; a picture is described in words. */
export function prepareObservation(record: StepRecord, space: DrawnSpace): ObservationPicture {
  const { observation } = record;
  if (isPicture(space)) {
    return { kind: "said", text: `A picture of ${space.shape!.join(" × ")} numbers` };
  }
  if (observation === null || observation === undefined) {
    return { kind: "said", text: "This observation was not recorded" };
  }
  if (space.kind === "Discrete" && typeof observation === "number") {
    const name = space.labels?.[placeOf(space, observation)];
    const { factors = [] } = space;
    if (factors.length > 0) {
      const decoded = decodedState(factors, observation);
      return {
        kind: "values",
        values: [
          ...decoded.map(({ name: label, value }) => ({ label, text: value, unit: null })),
          { label: "state", text: count(observation), unit: null },
        ],
      };
    }
    return {
      kind: "said",
      text: `State ${count(observation)}${space.n ? ` of ${count(space.n)}` : ""}${name ? `: ${name}` : ""}`,
    };
  }
  const all = parts(observation, "");
  const values = all.slice(0, MOST).map(({ path, value }, place) => ({
    label: space.labels?.[place] ? nameOf(space, place) : path || String(place),
    text: typeof value === "number" ? decimal(value) : value === null ? NONE : String(value),
    unit: space.units?.[place] || null,
  }));
  if (all.length > MOST) {
    values.push({ label: "and", text: `${count(all.length - MOST)} more`, unit: null });
  }
  return { kind: "values", values };
}

type Json = StepRecord["observation"];

/** The leaves of a composed observation, with the path to each. */
function parts(value: Json, path: string): { path: string; value: Json }[] {
  const under = (key: string) => (path ? `${path} · ${key}` : key);
  if (Array.isArray(value))
    return value.flatMap((part, i) => parts(part as Json, under(String(i))));
  if (value !== null && typeof value === "object") {
    return Object.entries(value).flatMap(([key, part]) => parts(part as Json, under(key)));
  }
  return [{ path, value }];
}
