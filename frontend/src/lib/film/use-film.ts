"use client";

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
import type { Clip, Run } from "@/api/types";
import { useSettled } from "../time";
import { nextToFilm } from "./moments";

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
