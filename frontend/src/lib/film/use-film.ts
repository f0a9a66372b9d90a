"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import {
  type Clip,
  clipQuery,
  clipsQuery,
  type ClipWish,
  growthVideoQuery,
  isActive,
  keys,
  policiesQuery,
  type Run,
} from "@/lib/api";
import { nextToFilm } from "./moments";

/** Milliseconds between two looks at what a run that trains keeps. */
const RENEW_EVERY_MS = 10_000;
/** Milliseconds for which a moment has to stand still before it is filmed: whoever scrubs wants the last one. */
const SETTLED_MS = 180;
/** Policies that are filmed without being asked for, once training is over. */
const FILMED = 7;

/** What a run keeps of its training, and the clips of it. */
export function useFilm(run: Run) {
  const active = isActive(run);
  const policies = useQuery({
    ...policiesQuery(run.id),
    refetchInterval: active ? RENEW_EVERY_MS : false,
  });
  const clips = useQuery(clipsQuery(run.id));
  return { policies, clips };
}

/** The clip of the policy of `step`; the one before stays until it is there. */
export function useClip(runId: string, step: number | null, wish: ClipWish) {
  const settled = useSettled(step, SETTLED_MS);
  const known = useKnownClip(runId, step, wish);
  const asked = known !== undefined ? step : settled;
  const query = useQuery({
    ...clipQuery(runId, asked ?? 0, wish),
    enabled: asked !== null,
    placeholderData: keepPreviousData,
  });
  useListed(runId, query.data, query.isPlaceholderData);
  const clip = known ?? query.data;
  return { ...query, clip, isMaking: known === undefined && (query.isFetching || asked !== step) };
}

export function useGrowthVideo(runId: string, until: number, wish: ClipWish) {
  const query = useQuery(growthVideoQuery(runId, until, wish));
  useListed(runId, query.data, false);
  return query;
}

/** Films some policies that nobody asked for, one at a time, so that the strip shows something. */
export function useSomePictures(run: Run, enabled: boolean, wish: ClipWish) {
  const { policies, clips } = useFilm(run);
  const all = policies.data?.policies ?? [];
  const next = clips.data && nextToFilm(all, clips.data, FILMED);
  const query = useQuery({
    ...clipQuery(run.id, next?.step ?? 0, wish),
    enabled: enabled && next !== undefined && !isActive(run),
    retry: false,
  });
  useListed(run.id, next ? query.data : undefined, false);
}

/** A clip that was made is among those of the run. */
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

/** A clip that is there already needs no asking. */
function useKnownClip(runId: string, step: number | null, { seed, greedy }: ClipWish) {
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

function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  // External system: the clock.
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
