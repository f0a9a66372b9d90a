import type { ClipOptions } from "@/api/film";
import type { Clip, KeptPolicy } from "@/api/types";

/** Default options of clips. The seed is that of evaluations, so that both show the same episode. */
export const DEFAULT_CLIP_OPTIONS: ClipOptions = { seed: 1_000_000, greedy: true };

/** The newest policy up to `step`, or the first one if there is none. */
export function policyAt(policies: readonly KeptPolicy[], step: number): KeptPolicy | undefined {
  return policies.findLast((policy) => policy.step <= step) ?? policies[0];
}

/** The policy `by` places after that of `step`. */
export function policyAfter(
  policies: readonly KeptPolicy[],
  step: number,
  by: number,
): KeptPolicy | undefined {
  const at = policies.findLastIndex((policy) => policy.step <= step);
  return policies[Math.min(policies.length - 1, Math.max(0, at + by))];
}

/** A place of the filmstrip: its policy, and the thumbnail of one of its clips if there is one. */
export interface Frame {
  policy: KeptPolicy;
  picture: string | null;
  /** Position of its middle on the strip, from 0 to 1. */
  share: number;
}

/**
 * The policies to show in `places` places side by side for the part of an axis from `from` to `to`, on which `placeOf` a
 * step is known. Each place has the last policy of its part, preferably one with a clip; it is empty if its part has
 * none.
 */
export function frames(
  policies: readonly KeptPolicy[],
  clips: readonly Clip[],
  [from, to]: readonly [number, number],
  places: number,
  placeOf: (step: number) => number = (step) => step,
): Frame[] {
  const pictures = new Map<number, string>();
  for (const { step, thumbnail_url } of clips)
    if (step !== null && thumbnail_url) pictures.set(step, thumbnail_url);
  const part = (to - from) / places;
  return Array.from({ length: places }, (_, place) => {
    const [low, high] = [from + place * part, from + (place + 1) * part];
    const isLast = place === places - 1;
    const within = policies.filter(({ step }) => {
      const at = placeOf(step);
      return at >= low && (at < high || (isLast && at <= high));
    });
    const policy = within.findLast(({ step }) => pictures.has(step)) ?? within.at(-1);
    return (
      policy && {
        policy,
        picture: pictures.get(policy.step) ?? null,
        share: (place + 0.5) / places,
      }
    );
  }).filter((frame) => frame !== undefined);
}

/** The next policy to render, so that about `count` evenly spaced ones have a thumbnail. */
export function nextToFilm(
  policies: readonly KeptPolicy[],
  clips: readonly Clip[],
  count: number,
): KeptPolicy | undefined {
  const known = new Set(clips.map(({ step }) => step));
  const last = policies.at(-1)?.step ?? 0;
  const wanted = Array.from({ length: count }, (_, place) =>
    policyAt(policies, (last * place) / (count - 1)),
  );
  return wanted.reverse().find((policy) => policy && !known.has(policy.step));
}
