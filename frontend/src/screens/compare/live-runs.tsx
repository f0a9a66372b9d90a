"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { type ReactNode, useRef, useState } from "react";
import { healthQuery } from "@/api/choices";
import { canDo } from "@/api/run-availability";
import type { Run } from "@/api/types";
import { count, decimal, plural } from "@/lib/number";
import { useStore } from "@/lib/use-store";
import { FrameCanvas } from "@/player/live/frame-canvas";
import type { SessionClient } from "@/player/session/session-client";
import { useHeldSession } from "@/player/session/watch-session";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import type { SeriesStyle } from "@/ui/series-style";
import { Swatch } from "@/ui/swatch";
import { GhostRace } from "./ghost-race";
import { LiveControls, missingPicture, useRacers } from "./racers";
import type { SeriesStyles } from "./series-styles";
import { Tile, Tiles } from "./tile";

interface LiveRunsProps {
  runs: readonly Run[];
  seriesStyles: SeriesStyles;
  /** Whether all runs of one environment are drawn in one frame instead of side by side. */
  isRace?: boolean;
  /** Placed at the end of the title line. */
  aside: ReactNode;
}

/** The newest policies of the compared runs play in lockstep on the same seed; as many as the service allows. */
export function LiveRuns({ runs, seriesStyles, isRace = false, aside }: LiveRunsProps) {
  const most = useQuery(healthQuery).data?.max_sessions;
  const trained = runs.filter((run) => canDo("evaluate", run));
  const track = trained[0]?.env_id;
  const able = isRace ? trained.filter(({ env_id }) => env_id === track) : trained;
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  const playing = playingOf(able, chosen, most ?? 0);
  return (
    <Card
      title={isRace ? "Ghost race" : "Policies side by side"}
      aside={aside}
      bodyClass="flex flex-col gap-3 p-4"
    >
      {able.length < trained.length && (
        <p className="text-xs text-ink-faint">
          A race needs one environment: {track}. {plural(trained.length - able.length, "other run")}{" "}
          cannot take part.
        </p>
      )}
      {most !== undefined && able.length > most && (
        <PlayingRuns
          runs={able}
          most={most}
          playing={playing.map(({ id }) => id)}
          seriesStyles={seriesStyles}
          onChange={setChosen}
        />
      )}
      {playing.length > 0 &&
        (isRace ? (
          <GhostRace runs={playing} seriesStyles={seriesStyles} most={most ?? 0} />
        ) : (
          <Together runs={playing} seriesStyles={seriesStyles} />
        ))}
      {able.length === 0 && (
        <p className="text-sm text-ink-soft">None of these runs has a policy yet.</p>
      )}
    </Card>
  );
}

/** The chosen runs, in the order of the comparison; before a choice, the first ones. */
function playingOf(able: readonly Run[], chosen: readonly string[] | null, most: number) {
  if (chosen === null) return able.slice(0, most);
  return able.filter(({ id }) => chosen.includes(id)).slice(0, most);
}

function Together({ runs, seriesStyles }: Pick<LiveRunsProps, "runs" | "seriesStyles">) {
  const place = useRef<HTMLUListElement>(null);
  const { clients, wanted, controls } = useRacers(runs, place);
  return (
    <div className="flex flex-col gap-2">
      <Tiles count={runs.length} ref={place} label="Live, in step">
        {runs.map((run, i) => (
          <LiveTile
            key={run.id}
            run={run}
            client={clients[i]!}
            wanted={wanted}
            seriesStyle={seriesStyles.get(run.id)}
          />
        ))}
      </Tiles>
      <LiveControls {...controls} />
    </div>
  );
}

interface LiveTileProps {
  run: Run;
  client: SessionClient;
  /** Whether the user looks. */
  wanted: boolean;
  seriesStyle: SeriesStyle | undefined;
}

/** A tile in which the newest policy of a run plays. */
function LiveTile({ run, client, wanted, seriesStyle }: LiveTileProps) {
  useHeldSession(client, wanted);
  const state = useStore(client.state);
  const moment = useStore(client.moment);
  const problem = missingPicture(state, moment !== null);
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

interface PlayingRunsProps {
  runs: readonly Run[];
  /** How many can play at a time. */
  most: number;
  playing: readonly string[];
  seriesStyles: SeriesStyles;
  onChange: (playing: readonly string[]) => void;
}

/** Chooses which runs play. If one more than possible is chosen, it replaces the one that was chosen first. */
function PlayingRuns({ runs, most, playing, seriesStyles, onChange }: PlayingRunsProps) {
  const toggle = (id: string) =>
    onChange(
      playing.includes(id)
        ? playing.filter((other) => other !== id)
        : [...playing.slice(playing.length >= most ? 1 : 0), id],
    );
  return (
    <div className="flex flex-col gap-1.5">
      <div role="group" aria-label="Runs that play" className="flex flex-wrap gap-1.5">
        {runs.map(({ id, name }) => {
          const plays = playing.includes(id);
          return (
            <button
              key={id}
              type="button"
              aria-pressed={plays}
              title={name}
              onClick={() => toggle(id)}
              className={clsx(
                "flex max-w-56 min-w-0 items-center gap-1.5 rounded-full border px-2.5 py-1 text-xs max-md:min-h-10",
                plays
                  ? "border-accent bg-accent-tint text-ink"
                  : "border-line text-ink-soft hover:border-line-strong hover:text-ink",
              )}
            >
              <Swatch seriesStyle={seriesStyles.get(id)} />
              <span className="truncate">{name}</span>
            </button>
          );
        })}
      </div>
      <p className="text-xs text-ink-faint">
        {playing.length} of {runs.length} runs play: the service allows {most}{" "}
        {most === 1 ? "session" : "sessions"} at a time (RLVIZ_MAX_SESSIONS).
      </p>
    </div>
  );
}
