"use client";

/** A run's filmstrip: the policies that it keeps, and clips of them, which are rendered on request. */

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import {
  type ClipOptions,
  clipQuery,
  clipsQuery,
  growthVideoQuery,
  pictureQuery,
  policiesQuery,
} from "@/api/film";
import { apiLink, explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { isActive, isGreedy } from "@/api/runs";
import type { Clip, KeptPolicy, Run, RunDetail } from "@/api/types";
import { useSettled } from "@/lib/time";

/** Milliseconds between two requests for the kept policies of a run that trains. */
const RENEW_EVERY_MS = 10_000;
/**
 * Milliseconds that a moment must be selected before its clip is rendered if it follows another one as fast, so that
 * scrubbing renders only the last one.
 */
const SETTLED_MS = 120;
/** Number of policies of a run that have a picture without being asked for. */
const MOST_PICTURED = 60;

/** The kept policies of a run and their clips. */
export function useFilm(run: Run) {
  const active = isActive(run);
  const policies = useQuery({
    ...policiesQuery(run.id),
    // Without idle time, others train.
    refetchInterval: ({ state }) =>
      active || state.data?.has_idle_time === false ? RENEW_EVERY_MS : false,
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
 * Requests small pictures of policies with their returns, one at a time: first those in `cells`, then the others. They
 * are made after all other requests while the machine has idle time. Each takes one episode without rendering.
 */
export function usePictures(run: RunDetail, enabled: boolean, cells: readonly Frame[]) {
  const { policies, clips } = useFilm(run);
  const { policies: all, has_idle_time } = policies.data ?? { policies: [], has_idle_time: false };
  const options = clipOptionsOf(run);
  const next = clips.data && nextToPicture(cells, all, clips.data, options);
  const query = useQuery({
    ...pictureQuery(run.id, next?.step ?? 0, options),
    enabled: enabled && has_idle_time && next !== undefined,
    retry: false,
  });
  useListed(run.id, next ? query.data : undefined, false);
}

/** Loads and decodes these pictures in advance, so that each can be shown without delay. */
export function useDecoded(urls: readonly string[]) {
  const held = useRef(new Map<string, HTMLImageElement>());
  const key = urls.join(" ");
  // External system: the pictures that the browser holds.
  useEffect(() => {
    const wanted = new Set(key.split(" ").filter(Boolean));
    for (const url of held.current.keys()) if (!wanted.has(url)) held.current.delete(url);
    for (const url of wanted) {
      if (held.current.has(url)) continue;
      const image = new Image();
      image.src = apiLink(url);
      held.current.set(url, image);
      // One that cannot be decoded is loaded again where it is shown.
      image.decode?.().catch(() => held.current.delete(url));
    }
  }, [key]);
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

/** The clip from the cached list, if it is listed. */
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

/** Default seed of clips: that of evaluations, so that both show the same episode. */
export const CLIP_SEED = 1_000_000;

/** Default options of clips, with actions as in the evaluations of the run. */
export function clipOptionsOf(run: Pick<RunDetail, "config">): ClipOptions {
  return { seed: CLIP_SEED, greedy: isGreedy(run) };
}

/** The newest policy up to `step`, or the first one if there is none. */
export function policyAt(policies: readonly KeptPolicy[], step: number): KeptPolicy | undefined {
  return policies.findLast((policy) => policy.step <= step) ?? policies[0];
}

/** The kept policy that plays at `step`, or why none can; neither without a step. */
export function useKeptPolicy(run: Run, step: number | null) {
  const { policies } = useFilm(run);
  if (step === null) return { policy: undefined, why: null, isPending: false };
  const policy = policyAt(policies.data?.policies ?? [], step);
  const why = policies.error
    ? explainAction(policies.error)
    : policies.data && !policy
      ? "No policy of this run was kept, so none can play."
      : null;
  return { policy, why, isPending: policies.isPending };
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

/** A small picture of the episode that a policy plays on the seed of the strip. */
export interface Picture {
  url: string;
  /** The return of that episode; null if only its beginning was played. */
  episodeReturn: number | null;
}

/** The current pictures of policies by step: all with the same options, so that they can be compared. */
export function picturesOf(
  clips: readonly Clip[],
  options: ClipOptions,
): ReadonlyMap<number, Picture> {
  const pictures = new Map<number, Picture>();
  for (const { kind, step, thumbnail_url: url, is_current, episodes, ...how } of clips) {
    const isCommon = how.seed === options.seed && how.greedy === options.greedy;
    if (kind !== "clip" || step === null || !url || !is_current || !isCommon) continue;
    const [episode] = episodes;
    const isWhole = episode !== undefined && !episode.cut && episode.step === step;
    pictures.set(step, { url, episodeReturn: isWhole ? episode.episode_return : null });
  }
  return pictures;
}

/**
 * Position of each return between the lowest and the highest of `pictures`, from 0 to 1; null for unknown returns, and
 * if all are equal.
 */
export function returnScale(
  pictures: ReadonlyMap<number, Picture>,
): (episodeReturn: number | null) => number | null {
  const known = [...pictures.values()].flatMap(({ episodeReturn: value }) => value ?? []);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return (value) => (value === null || !(high > low) ? null : (value - low) / (high - low));
}

/** A place of the filmstrip: its policy, and the picture of it if there is one. */
export interface Frame {
  policy: KeptPolicy;
  picture: Picture | null;
  /** Position of its middle on the strip, from 0 to 1. */
  share: number;
}

/**
 * The policies to show in `places` places side by side for the part of an axis from `from` to `to`, on which `placeOf` a
 * step is known. Each place has the last policy of its part, preferably one with a picture; it is empty if its part has
 * none.
 */
export function frames(
  policies: readonly KeptPolicy[],
  pictures: ReadonlyMap<number, Picture>,
  [from, to]: readonly [number, number],
  places: number,
  placeOf: (step: number) => number = (step) => step,
): Frame[] {
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

/**
 * The next policy that needs a picture: the newest in `cells` without one, then the newest of all, until `most` have
 * one. A failed picture is not requested again.
 */
export function nextToPicture(
  cells: readonly Frame[],
  policies: readonly KeptPolicy[],
  clips: readonly Clip[],
  options: ClipOptions,
  most = MOST_PICTURED,
): KeptPolicy | undefined {
  const pictures = picturesOf(clips, options);
  const failed = new Set(clips.filter(({ status }) => status === "failed").map(({ step }) => step));
  const lacks = ({ step }: KeptPolicy) => !pictures.has(step) && !failed.has(step);
  const shown = cells.map(({ policy }) => policy).findLast(lacks);
  return shown ?? (pictures.size < most ? policies.findLast(lacks) : undefined);
}
