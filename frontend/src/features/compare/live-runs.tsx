"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { healthQuery } from "@/api/choices";
import { canDo } from "@/api/run-availability";
import type { Run } from "@/api/types";
import { useInView } from "@/lib/media";
import { Lockstep } from "@/lib/session/lockstep";
import { browserTimers } from "@/lib/time";
import type { SessionClient } from "@/player/session/session-client";
import { usePageSeen, watchSession } from "@/player/session/watch-session";
import { Card } from "@/ui/card";
import { LiveControls } from "./live-controls";
import { LiveTile } from "./live-tile";
import { PlayingRuns } from "./playing-runs";
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
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  const playing = playingOf(able, chosen, most ?? 0);
  return (
    <Card title="Policies side by side" aside={aside} bodyClass="flex flex-col gap-3 p-4">
      {most !== undefined && able.length > most && (
        <PlayingRuns
          runs={able}
          most={most}
          playing={playing.map(({ id }) => id)}
          seriesStyles={seriesStyles}
          onChange={setChosen}
        />
      )}
      {playing.length > 0 && <Together runs={playing} seriesStyles={seriesStyles} />}
      {able.length === 0 && (
        <p className="text-sm text-ink-soft">None of these runs has a policy yet.</p>
      )}
    </Card>
  );
}

/** Those that were chosen, in the order of the comparison; before anybody has chosen, the first. */
function playingOf(able: readonly Run[], chosen: readonly string[] | null, most: number) {
  if (chosen === null) return able.slice(0, most);
  return able.filter(({ id }) => chosen.includes(id)).slice(0, most);
}

/** Steps per second of all sessions. */
const FPS = 15;
const CLOCK = { timers: browserTimers, now: () => performance.now() };

function Together({ runs, seriesStyles }: Pick<LiveRunsProps, "runs" | "seriesStyles">) {
  // A run that goes on playing keeps its session when another one takes a place.
  const [sessions] = useState(() => new Map<string, SessionClient>());
  const [playing, setPlaying] = useState(true);
  const [greedy, setGreedy] = useState(true);
  const place = useRef<HTMLUListElement>(null);
  const inView = useInView(place);
  const pageSeen = usePageSeen();
  const wanted = inView && pageSeen;

  const key = runs.map(({ id }) => id).join();
  const clients = useMemo(
    () => key.split(",").map((id) => sessionOf(sessions, id)),
    [sessions, key],
  );
  const lockstep = useMemo(() => new Lockstep(clients, CLOCK, FPS), [clients]);
  // External system: the sessions at the service.
  useEffect(() => {
    if (!wanted) return;
    lockstep.start();
    return () => lockstep.stop();
  }, [lockstep, wanted]);
  useEffect(() => lockstep.setPlaying(playing), [lockstep, playing]);
  useEffect(() => {
    for (const client of clients) client.setGreedy(greedy);
  }, [clients, greedy]);

  return (
    <div className="flex flex-col gap-2">
      <Tiles count={runs.length} ref={place} label="Live, in step">
        {runs.map((run, i) => (
          <LiveTile
            key={run.id}
            run={run}
            client={clients[i]!}
            wanted={wanted === true}
            seriesStyle={seriesStyles.get(run.id)}
          />
        ))}
      </Tiles>
      <LiveControls
        playing={playing}
        onPlaying={setPlaying}
        onStep={() => {
          setPlaying(false);
          lockstep.stepOnce();
        }}
        greedy={greedy}
        onGreedy={setGreedy}
      />
    </div>
  );
}

function sessionOf(sessions: Map<string, SessionClient>, id: string): SessionClient {
  const known = sessions.get(id) ?? watchSession(id);
  sessions.set(id, known);
  return known;
}
