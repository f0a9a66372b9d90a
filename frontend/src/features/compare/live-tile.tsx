"use client";

import type { Run } from "@/api/types";
import { count, decimal } from "@/lib/number";
import { useStore } from "@/lib/use-store";
import { FrameCanvas } from "@/player/live/frame-canvas";
import type { SessionClient } from "@/player/session/session-client";
import type { SessionState } from "@/player/session/session-machine";
import { useHeldSession } from "@/player/session/watch-session";
import { Button } from "@/ui/button";
import type { SeriesStyle } from "@/ui/series-style";
import { Tile } from "./tile";

interface LiveTileProps {
  run: Run;
  client: SessionClient;
  /** Whether somebody looks. */
  wanted: boolean;
  seriesStyle: SeriesStyle | undefined;
}

/** A tile in which the newest policy of a run plays. */
export function LiveTile({ run, client, wanted, seriesStyle }: LiveTileProps) {
  useHeldSession(client, wanted);
  const state = useStore(client.state);
  const moment = useStore(client.moment);
  const problem = words(state, moment !== null);
  const record = moment?.record;
  return (
    <Tile run={run} seriesStyle={seriesStyle}>
      <div className="relative aspect-3/2 overflow-hidden rounded-md border border-line bg-sunken">
        <FrameCanvas client={client} frozen={null} label={`${run.name} plays ${run.env_id}`} />
        {problem && (
          <div className="absolute inset-0 grid place-content-center justify-items-center gap-2 p-4 text-center text-sm text-ink-soft">
            <p role="status">{problem}</p>
            {(state.phase === "refused" || state.phase === "ended") && (
              <Button size="sm" needsService onClick={client.again}>
                Try again
              </Button>
            )}
          </div>
        )}
        {record && (record.terminated || record.truncated) && (
          <span className="absolute top-2 left-2 rounded-sm bg-raised px-1.5 py-0.5 text-2xs text-ink-soft shadow-card">
            {record.terminated ? "terminated" : "truncated"}
          </span>
        )}
      </div>
      <p className="min-h-4.25 text-xs text-ink-faint tabular-nums">
        {record && (
          <>
            Step {count(record.index)} · return {decimal(record.episode_return)}
          </>
        )}
        {state.policy && ` · policy of step ${count(state.policy.step)}`}
      </p>
    </Tile>
  );
}

function words({ phase, refusal, cause }: SessionState, hasFrame: boolean): string | null {
  if (phase === "refused") return [refusal?.title, refusal?.detail].filter(Boolean).join(". ");
  if (phase === "ended") return cause;
  if (phase === "waiting") return "The connection was lost. Trying again…";
  return hasFrame || phase === "resting" ? null : "The agent takes its place…";
}
