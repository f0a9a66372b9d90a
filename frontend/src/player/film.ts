"use client";

/** A run's filmstrip: the policies that it keeps, and clips of them, which are rendered on request. */

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import {
  type ClipOptions,
  clipQuery,
  clipsQuery,
  growthVideoQuery,
  pictureQuery,
  policiesQuery,
} from "@/api/film";
import { keys } from "@/api/keys";
import { isActive } from "@/api/runs";
import type { Clip, KeptPolicy, Run } from "@/api/types";
import { useSettled } from "@/lib/time";

/** Milliseconds between two requests for the kept policies of a run that trains. */
const RENEW_EVERY_MS = 10_000;
/**
 * Milliseconds that a moment must be selected before its clip is rendered if it follows another one as fast, so that
 * scrubbing renders only the last one.
 */
const SETTLED_MS = 120;
/** Number of policies that have a picture on the strip without being asked for. */
const PICTURED = 11;

/** The kept policies of a run and their clips. */
export function useFilm(run: Run) {
  const active = isActive(run);
  const policies = useQuery({
    ...policiesQuery(run.id),
    refetchInterval: active ? RENEW_EVERY_MS : false,
  });
  const clips = useQuery(clipsQuery(run.id));
  return { policies, clips };
}

/** The clip of the policy of `step`. While another one is rendered, the former one is returned. */
export function useClip(runId: string, step: number | null, options: ClipOptions) {
  const settled = useSettled(step, SETTLED_MS);
  const known = useKnownClip(runId, step, options);
  const asked = known !== undefined ? step : settled;
  const query = useQuery({
    ...clipQuery(runId, asked ?? 0, options),
    enabled: asked !== null,
    placeholderData: keepPreviousData,
  });
  useListed(runId, query.data, query.isPlaceholderData);
  const clip = known ?? query.data;
  return { ...query, clip, isMaking: known === undefined && (query.isFetching || asked !== step) };
}

export function useGrowthVideo(runId: string, until: number, options: ClipOptions) {
  const query = useQuery(growthVideoQuery(runId, until, options));
  useListed(runId, query.data, false);
  return query;
}

/**
 * Asks for small pictures of evenly spaced policies, one at a time, so that the strip has something to show. They are
 * made after everything else, and cost an episode without rendering.
 */
export function useThumbnails(run: Run, enabled: boolean, options: ClipOptions) {
  const { policies, clips } = useFilm(run);
  const all = policies.data?.policies ?? [];
  const next = clips.data && nextToFilm(all, clips.data, PICTURED);
  const query = useQuery({
    ...pictureQuery(run.id, next?.step ?? 0, options),
    enabled: enabled && next !== undefined,
    retry: false,
  });
  useListed(run.id, next ? query.data : undefined, false);
}

/** Adds a new clip to the cached list of the run's clips. */
function useListed(runId: string, clip: Clip | undefined, isPlaceholder: boolean) {
  const client = useQueryClient();
  // External system: the query cache.
  useEffect(() => {
    if (!clip || isPlaceholder) return;
    client.setQueryData(clipsQuery(runId).queryKey, (old: Clip[] | undefined) =>
      old ? [...old.filter(({ id }) => id !== clip.id), clip] : old,
    );
    void client.invalidateQueries({ queryKey: keys.policies(runId), exact: true });
  }, [client, runId, clip, isPlaceholder]);
}

/** The clip from the cached list, if it is there already. */
function useKnownClip(runId: string, step: number | null, { seed, greedy }: ClipOptions) {
  const { data } = useQuery(clipsQuery(runId));
  return data?.find(
    (clip) =>
      clip.kind === "clip" &&
      clip.status === "ready" &&
      clip.step === step &&
      clip.seed === seed &&
      clip.greedy === greedy,
  );
}

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
