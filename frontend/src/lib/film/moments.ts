import type { Clip, ClipWish, KeptPolicy } from "@/lib/api";

/** The seed that evaluations begin with as well, so that what is seen can be compared. */
export const USUAL_WISH: ClipWish = { seed: 1_000_000, greedy: true };

/** The policy that plays for `step`: the newest that is not beyond it, or the first if all are. */
export function policyAt(policies: readonly KeptPolicy[], step: number): KeptPolicy | undefined {
  return policies.findLast((policy) => policy.step <= step) ?? policies[0];
}

/** The policy so many places after that of `step`. */
export function policyAfter(
  policies: readonly KeptPolicy[],
  step: number,
  by: number,
): KeptPolicy | undefined {
  const at = policies.findLastIndex((policy) => policy.step <= step);
  return policies[Math.min(policies.length - 1, Math.max(0, at + by))];
}

/** One place of the strip: the policy that it stands for, and the picture of one of its clips, if there is any. */
export interface Frame {
  policy: KeptPolicy;
  picture: string | null;
  /** Share of the strip, from 0 to 1, at which its middle stands. */
  share: number;
}

/**
 * What `places` places side by side show of the steps from `from` to `to`: in each the last policy of its part, one that
 * was filmed if there is any. A part without a policy stays empty.
 */
export function frames(
  policies: readonly KeptPolicy[],
  clips: readonly Clip[],
  [from, to]: readonly [number, number],
  places: number,
): Frame[] {
  const pictures = new Map<number, string>();
  for (const { step, thumbnail_url } of clips)
    if (step !== null && thumbnail_url) pictures.set(step, thumbnail_url);
  const part = (to - from) / places;
  return Array.from({ length: places }, (_, place) => {
    const [low, high] = [from + place * part, from + (place + 1) * part];
    const within = policies.filter(
      ({ step }) => step >= low && (step < high || (place === places - 1 && step <= high)),
    );
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

/** The next policy to film so that about `count` of them, evenly along the training, have a picture. */
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
