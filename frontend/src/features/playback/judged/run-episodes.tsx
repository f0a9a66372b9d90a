"use client";

import { lazy, Suspense, useState } from "react";
import { Disclosure } from "@/components/ui/disclosure";
import { Skeleton } from "@/components/ui/skeleton";
import { patiently } from "@/lib/service";
import type { Watch } from "./watch";

const Endings = lazy(patiently(async () => ({ default: (await import("./endings")).Endings })));
const EpisodeSearch = lazy(
  patiently(async () => ({
    default: (await import("./episode-search")).EpisodeSearch,
  })),
);

interface RunEpisodesProps {
  runId: string;
  onWatch: (watch: Watch) => void;
}

/** What the episodes of all evaluations say, loaded and asked for when it is opened. */
export function RunEpisodes(props: RunEpisodesProps) {
  const [opened, setOpened] = useState({ endings: false, search: false });
  return (
    <>
      <Disclosure
        className="border-t border-line pt-2"
        summary="How episodes end"
        onToggle={(open) => setOpened((now) => ({ ...now, endings: now.endings || open }))}
      >
        {opened.endings && (
          <Suspense fallback={<Skeleton className="h-24" />}>
            <Endings {...props} />
          </Suspense>
        )}
      </Disclosure>
      <Disclosure
        className="border-t border-line pt-2"
        summary="Find episodes"
        onToggle={(open) => setOpened((now) => ({ ...now, search: now.search || open }))}
      >
        {opened.search && (
          <Suspense fallback={<Skeleton className="h-16" />}>
            <EpisodeSearch {...props} />
          </Suspense>
        )}
      </Disclosure>
    </>
  );
}
