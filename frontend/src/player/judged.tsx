"use client";

/**
 * The episodes of all evaluations of one or more runs: how they end, and a search.
 *
 *     <JudgedEpisodes runs={[run]} onWatch={({ run, evaluation, frame }) => …} />
 */

import { lazy, type ReactNode, Suspense, useState } from "react";
import type { EpisodeEnding, EpisodeEndings } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { Disclosure } from "@/ui/disclosure";
import { Skeleton } from "@/ui/progress";

const Endings = lazy(withRetry(async () => ({ default: (await import("./endings")).Endings })));
const EpisodeSearch = lazy(
  withRetry(async () => ({
    default: (await import("./episode-search")).EpisodeSearch,
  })),
);

interface JudgedEpisodesProps {
  runs: readonly JudgedRun[];
  /**
   * The runs grouped by the title of their environment, if there are several, because their states are not comparable.
   */
  environments?: readonly { title: string; runs: readonly JudgedRun[] }[];
  onWatch: (episode: WatchedEpisode) => void;
}

/** What the episodes of all evaluations of some runs say, loaded and asked for when it is opened. */
export function JudgedEpisodes({ runs, environments = [], onWatch }: JudgedEpisodesProps) {
  const [opened, setOpened] = useState({ endings: false, search: false });
  const groups = environments.length > 1 ? environments : [{ title: null, runs }];
  return (
    <>
      <Disclosure
        className="border-line pt-2 not-first:border-t"
        summary="How episodes end"
        onToggle={(open) => setOpened((now) => ({ ...now, endings: now.endings || open }))}
      >
        {opened.endings &&
          groups.map(({ title, runs: ofOne }) => (
            <Suspense key={title} fallback={<Skeleton className="h-24" />}>
              {title !== null && (
                <h3 className="pt-2 text-xs font-medium text-ink-soft">{title}</h3>
              )}
              <Endings runs={ofOne} onWatch={onWatch} />
            </Suspense>
          ))}
      </Disclosure>
      <Disclosure
        className="border-line pt-2 not-first:border-t"
        summary="Find episodes"
        onToggle={(open) => setOpened((now) => ({ ...now, search: now.search || open }))}
      >
        {opened.search && (
          <Suspense fallback={<Skeleton className="h-16" />}>
            <EpisodeSearch {...{ runs, onWatch }} />
          </Suspense>
        )}
      </Disclosure>
    </>
  );
}

/** A run whose episodes are judged. `mark` is shown before its name if there are several runs. */
export interface JudgedRun {
  id: string;
  name: string;
  mark?: ReactNode;
}

/** An episode to show: its run and evaluation, and the frame of the video at which the episode begins. */
export interface WatchedEpisode {
  run: string;
  evaluation: string;
  frame: number;
}

/** Shown for an episode without a video. Its evaluation has a button that creates the video. */
export const NOT_KEPT =
  "There is no video of this episode. As long as its step records exist, you can create one.";

/** How the episodes of one run ended: the share of all of them, null if none was recorded, and of each evaluation. */
export interface RunShare {
  share: number | null;
  shares: number[];
}

export function shareOf(
  runId: string,
  { shares }: Pick<EpisodeEnding, "shares">,
  evaluations: EpisodeEndings["evaluations"],
): RunShare {
  const own = evaluations.flatMap(({ run_id, episodes }, place) =>
    run_id === runId && episodes > 0 ? [{ share: shares[place] ?? 0, episodes }] : [],
  );
  const all = own.reduce((sum, { episodes }) => sum + episodes, 0);
  const ended = own.reduce((sum, { share, episodes }) => sum + share * episodes, 0);
  return { share: all > 0 ? ended / all : null, shares: own.map(({ share }) => share) };
}
