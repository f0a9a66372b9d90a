"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { StepForward } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { healthQuery } from "@/api/choices";
import { canDo } from "@/api/run-availability";
import type { Run, StepRecord } from "@/api/types";
import { useInView } from "@/lib/media";
import { count, decimal } from "@/lib/number";
import type { ReadableStore } from "@/lib/store";
import { browserTimers, type Timers } from "@/lib/time";
import { useStore } from "@/lib/use-store";
import { FrameCanvas } from "@/player/live/frame-canvas";
import { PlayKey } from "@/player/live/transport";
import type { SessionClient } from "@/player/session/session-client";
import type { SessionState } from "@/player/session/session-machine";
import { useHeldSession, usePageSeen, watchSession } from "@/player/session/watch-session";
import { Key } from "@/player/video/transport";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Segmented } from "@/ui/segmented";
import type { SeriesStyle } from "@/ui/series-style";
import type { SeriesStyles } from "./series-styles";
import { Swatch, Tile, Tiles } from "./tile";

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

interface LiveControlsProps {
  playing: boolean;
  onPlaying: (playing: boolean) => void;
  onStep: () => void;
  greedy: boolean;
  onGreedy: (greedy: boolean) => void;
}

/** Pause, one step, and how actions are chosen: of all runs that play together. */
function LiveControls({ playing, onPlaying, onStep, greedy, onGreedy }: LiveControlsProps) {
  return (
    <div role="group" aria-label="All runs" className="flex flex-wrap items-center gap-1">
      <PlayKey goesOn={playing} disabled={false} onPress={() => onPlaying(!playing)} />
      <Key label="One step" onPress={onStep}>
        <StepForward aria-hidden className="size-4" />
      </Key>
      <Segmented
        legend="Actions"
        className="ml-auto"
        options={[
          { value: "greedy", label: "Greedy" },
          { value: "exploring", label: "Exploring" },
        ]}
        value={greedy ? "greedy" : "exploring"}
        onChange={(value) => onGreedy(value === "greedy")}
      />
    </div>
  );
}

interface LiveTileProps {
  run: Run;
  client: SessionClient;
  /** Whether somebody looks. */
  wanted: boolean;
  seriesStyle: SeriesStyle | undefined;
}

/** A tile in which the newest policy of a run plays. */
function LiveTile({ run, client, wanted, seriesStyle }: LiveTileProps) {
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

interface PlayingRunsProps {
  runs: readonly Run[];
  /** How many can play at a time. */
  most: number;
  playing: readonly string[];
  seriesStyles: SeriesStyles;
  onChange: (playing: readonly string[]) => void;
}

/** Which runs play. One more than can play takes the place of the one that was chosen first. */
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

/** The part of a session that playing in lockstep needs. */
export interface Player {
  readonly state: ReadableStore<Pick<SessionState, "phase">>;
  /** The newest record received. */
  readonly newest: ReadableStore<StepRecord | null>;
  pause(): void;
  forward(): void;
  reset(seed?: number): void;
}

/** Milliseconds that the last frames stay on screen before the next episodes begin. */
const REST_MS = 1_200;

/** Milliseconds after which a session that does not respond is not waited for. */
const PATIENCE_MS = 2_000;

/**
 * Plays several sessions in lockstep: all play the same seed, and each takes its n-th step together with the
 * others. A session whose episode is over waits; when all are over, the next episodes begin together. One
 * that joins late starts with the next reset.
 */
export class Lockstep {
  private timer: number | null = null;
  private gathered: readonly Player[] = [];
  private readonly awaited = new Map<Player, { before: StepRecord | null; since: number }>();
  private seed = 0;
  private restUntil: number | null = null;
  private playing = true;
  /** Whether one step is owed while nothing plays. */
  private owesStep = false;

  constructor(
    private readonly players: readonly Player[],
    private readonly clock: { timers: Timers; now: () => number },
    private fps: number,
  ) {}

  /** Sets the steps per second. */
  setRate(fps: number) {
    this.fps = fps;
  }

  /** Plays, or holds all sessions at the step where they are. */
  setPlaying(playing: boolean) {
    this.playing = playing;
    this.owesStep = false;
  }

  /** Holds all sessions, after one step more. */
  stepOnce() {
    this.playing = false;
    this.owesStep = true;
  }

  start() {
    if (this.timer === null) this.tick();
  }

  stop() {
    if (this.timer !== null) this.clock.timers.clear(this.timer);
    this.timer = null;
    this.awaited.clear();
    this.gathered = [];
  }

  private readonly tick = () => {
    this.timer = this.clock.timers.set(this.tick, 1000 / this.fps);
    const live = this.players.filter(({ state }) => state.get().phase === "live");
    if (live.length === 0) return;
    if (live.some((player) => !this.gathered.includes(player))) return this.begin(live);
    this.gathered = live;
    if (live.some((player) => this.isAwaited(player))) return;
    if (!this.playing && !this.owesStep) return;
    const going = live.filter(({ newest }) => !isOver(newest.get()));
    if (going.length === 0) return this.rest(live);
    this.owesStep = false;
    for (const player of going) this.ask(player, () => player.forward());
  };

  private rest(live: readonly Player[]) {
    const now = this.clock.now();
    this.restUntil ??= now + REST_MS;
    if (now >= this.restUntil) this.begin(live);
  }

  private begin(live: readonly Player[]) {
    this.gathered = live;
    this.restUntil = null;
    this.owesStep = false;
    this.seed += 1;
    for (const player of live) {
      player.pause();
      this.ask(player, () => player.reset(this.seed));
    }
  }

  private ask(player: Player, send: () => void) {
    this.awaited.set(player, { before: player.newest.get(), since: this.clock.now() });
    send();
  }

  private isAwaited(player: Player): boolean {
    const asked = this.awaited.get(player);
    if (!asked) return false;
    const answered = player.newest.get() !== asked.before;
    if (!answered && this.clock.now() - asked.since < PATIENCE_MS) return true;
    this.awaited.delete(player);
    return false;
  }
}

function isOver(record: StepRecord | null): boolean {
  return record !== null && (record.terminated || record.truncated);
}
