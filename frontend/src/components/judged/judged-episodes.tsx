"use client";

import { lazy, Suspense, useState } from "react";
import { withRetry } from "@/api/with-retry";
import { Disclosure } from "@/ui/disclosure";
import { Skeleton } from "@/ui/progress";
import type { JudgedRun, WatchedEpisode } from "./judged";

const Endings = lazy(withRetry(async () => ({ default: (await import("./endings")).Endings })));
const EpisodeSearch = lazy(
  withRetry(async () => ({
    default: (await import("./episode-search")).EpisodeSearch,
  })),
);

interface JudgedEpisodesProps {
  runs: readonly JudgedRun[];
  /** Of `runs`, those of each environment by its title, where there are several: states have nothing in common there. */
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
