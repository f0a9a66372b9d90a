import type { LearnedRewards, PolicyReading, StepRecord } from "@/api/types";
import { rangeOf } from "./most";

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
  /** How the expected return differs from the one that came, in sentences. */
  note: string | null;
}

interface LineOptions {
  /** What is expected; null: unknown. */
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

const CUT = "A limit cut this episode: what would have come after it is not in the line.";

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
