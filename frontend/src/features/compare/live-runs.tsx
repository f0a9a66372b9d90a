"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Card } from "@/components/ui/card";
import { healthQuery, type Run } from "@/lib/api";
import { canDo } from "@/lib/run-actions";
import { useInView } from "@/lib/media/use-in-view";
import { Lockstep, type SessionClient, usePageSeen, watchSession } from "@/lib/session";
import { browserTimers } from "@/lib/time/timers";
import { LiveTile } from "./live-tile";
import type { SeriesStyles } from "./series-styles";
import { Tiles } from "./tile";

interface LiveRunsProps {
  runs: readonly Run[];
  seriesStyles: SeriesStyles;
  /** Placed at the end of the title line. */
  aside: ReactNode;
}

/** The newest policies of the compared runs play in lockstep on the same seed; as many as the service allows. */
export function LiveRuns({ runs, seriesStyles, aside }: LiveRunsProps) {
  const most = useQuery(healthQuery).data?.max_sessions;
  const able = runs.filter((run) => canDo("evaluate", run));
  const playing = able.slice(0, most ?? 0);
  const left = able.length - playing.length;
  return (
    <Card title="Policies side by side" aside={aside} bodyClass="flex flex-col gap-3 p-4">
      {most !== undefined && (
        <Together
          key={playing.map(({ id }) => id).join()}
          runs={playing}
          seriesStyles={seriesStyles}
        />
      )}
      {able.length === 0 && (
        <p className="text-sm text-ink-soft">None of these runs has a policy yet.</p>
      )}
      {most !== undefined && left > 0 && (
        <p className="text-xs text-ink-faint">
          The first {playing.length} of {able.length} runs play: the service allows {most} sessions
          at a time (RLVIZ_MAX_SESSIONS).
        </p>
      )}
    </Card>
  );
}

/** Steps per second of all sessions. */
const FPS = 15;

function Together({ runs, seriesStyles }: Pick<LiveRunsProps, "runs" | "seriesStyles">) {
  const [clients] = useState<readonly SessionClient[]>(() =>
    runs.map(({ id }) => watchSession(id)),
  );
  const place = useRef<HTMLUListElement>(null);
  const inView = useInView(place);
  const pageSeen = usePageSeen();
  const wanted = inView && pageSeen;

  // External system: the sessions at the service.
  useEffect(() => {
    if (!wanted) return;
    const lockstep = new Lockstep(
      clients,
      { timers: browserTimers, now: () => performance.now() },
      FPS,
    );
    for (const client of clients) client.start();
    lockstep.start();
    return () => {
      lockstep.stop();
      for (const client of clients) client.stop();
    };
  }, [clients, wanted]);

  return (
    <Tiles count={runs.length} ref={place} label="Live, in step">
      {runs.map((run, i) => (
        <LiveTile
          key={run.id}
          run={run}
          client={clients[i]!}
          seriesStyle={seriesStyles.get(run.id)}
        />
      ))}
    </Tiles>
  );
}
