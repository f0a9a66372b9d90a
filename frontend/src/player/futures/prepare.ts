import type { StepPlace } from "@/api/futures";
import type { Future, OtherActions } from "@/api/types";
import { count, decimal, parseNumber, plural, settingText } from "@/lib/number";

/** An episode of a video: it begins with the frame of its reset. */
export interface FilmedEpisode {
  first_frame: number;
  episode_length: number;
}

/** The step that a frame of a video shows; null outside of episodes. After the last step, it is the last step. */
export function stepAt(episodes: readonly FilmedEpisode[], frame: number): StepPlace | null {
  const episode = episodes.findLastIndex(({ first_frame }) => first_frame <= frame);
  const found = episodes[episode];
  if (!found) return null;
  return { episode, step: Math.min(frame - found.first_frame, found.episode_length) };
}

/** The heading of the menu, for instance `Episode 1, step 12: push right`. */
export function stepTitle({ episode, step }: StepPlace, taken: string | null): string {
  const place = `Episode ${episode + 1}, step ${count(step)}`;
  return taken === null ? place : `${place}: ${taken}`;
}

/** One of the two futures, in words. */
export interface FutureLine {
  name: string;
  /** The rewards from this step on: `113 more`. */
  gain: string;
  /** How it ends. */
  end: string;
}

/** The recorded and the other future from the step on. */
export function futureLines(
  { outcome }: Future,
  names: { taken: string; other: string },
): { recorded: FutureLine; other: FutureLine } | null {
  if (!outcome) return null;
  const { recorded_return: was, recorded_length, cut, terminated } = outcome;
  const steps = plural(outcome.episode_length, "step");
  return {
    recorded: {
      name: names.taken,
      gain: was === null ? "not recorded to its end" : gainText(was),
      end: cut
        ? `in ${plural(recorded_length, "step")}`
        : `after ${plural(recorded_length, "step")}`,
    },
    other: {
      name: `${names.other} instead`,
      gain: gainText(outcome.episode_return),
      end: cut
        ? `in ${steps}, not ended yet`
        : `${terminated ? "terminated" : "ended by the time limit"} after ${steps}`,
    },
  };
}

function gainText(value: number): string {
  const size = Math.abs(value);
  return `${Number.isInteger(size) ? count(size) : decimal(size)} ${value < 0 ? "less" : "more"}`;
}

/** The two futures in one sentence: `push right: 113 more · push left instead: 9 more`. */
export function futureSentence(lines: NonNullable<ReturnType<typeof futureLines>>): string {
  return [lines.recorded, lines.other].map(({ name, gain }) => `${name}: ${gain}`).join(" · ");
}

/** Most numbers of an action that can be typed one by one. */
const MOST_TYPED = 8;

/** The numbers of an action of a continuous space, with their bounds; null where actions are chosen by name. */
export function typedNumbers({ space, taken }: OtherActions) {
  const { kind, low, high } = space.layout;
  if (kind !== "Box" || taken.action.length > MOST_TYPED) return null;
  return taken.action.map((value, place) => ({
    label: space.labels?.[place] ?? `Number ${place + 1}`,
    value,
    minimum: finite(low?.[place]),
    maximum: finite(high?.[place]),
  }));
}

export type TypedNumber = NonNullable<ReturnType<typeof typedNumbers>>[number];

/** Why a typed number is invalid; null: it is valid. */
export function numberProblem({ minimum, maximum }: TypedNumber, text: string): string | null {
  const value = parseNumber(text);
  if (!Number.isFinite(value)) return "Enter a number";
  if (minimum !== null && value < minimum) return `Must be at least ${settingText(minimum)}`;
  if (maximum !== null && value > maximum) return `Must be at most ${settingText(maximum)}`;
  return null;
}

function finite(value: number | null | undefined): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
