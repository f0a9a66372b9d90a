"use client";

import clsx from "clsx";
import { Hand } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { Run, SessionHello } from "@/api/types";
import { readTokenColors } from "@/charts/canvas";
import { count, decimal } from "@/lib/number";
import { useStore } from "@/lib/use-store";
import { drawGhosts, type Ghost } from "@/player/blend";
import { KeyCaps, KeysStage } from "@/player/live/keys";
import { KeyInput } from "@/player/session/key-input";
import type { SessionClient } from "@/player/session/session-client";
import { playSession, useHeldSession } from "@/player/session/watch-session";
import { Button } from "@/ui/button";
import type { SeriesStyle } from "@/ui/series-style";
import { Swatch } from "@/ui/swatch";
import { LiveControls, missingPicture, useRacers } from "./racers";
import type { SeriesStyles } from "./series-styles";
import { YourSeat } from "./your-seat";

/** A policy in the race, or the user. */
interface Racer {
  id: string;
  name: string;
  client: SessionClient;
  style: SeriesStyle | undefined;
  /** The colour token of its ghost. */
  color: string;
}

/** Colour of the user's ghost: the text colour, which no run has. */
const YOUR_COLOR = "ink";
const NO_OTHERS: readonly YourSeat[] = [];

interface GhostRaceProps {
  /** Of one environment. */
  runs: readonly Run[];
  seriesStyles: SeriesStyles;
  /** How many sessions the service allows. */
  most: number;
}

/**
 * Policies in one frame, each translucent in the colour of its run: all on the same seed, step by step together. The user
 * can race with them.
 */
export function GhostRace({ runs, seriesStyles, most }: GhostRaceProps) {
  const place = useRef<HTMLDivElement>(null);
  const [you, setYou] = useState<SessionClient | null>(null);
  // One session is the user's, where there are no more of them.
  const racing = you && runs.length >= most ? runs.slice(0, Math.max(1, most - 1)) : runs;
  const seat = useMemo(() => you && new YourSeat(you), [you]);
  const others = useMemo(() => (seat ? [seat] : NO_OTHERS), [seat]);
  const { clients, wanted, controls } = useRacers(racing, place, others);
  const racers: Racer[] = [
    ...racing.map(({ id, name }, i) => {
      const style = seriesStyles.get(id);
      return { id, name, client: clients[i]!, style, color: style?.color ?? "series-1" };
    }),
    ...(you ? [{ id: "you", name: "You", client: you, style: undefined, color: YOUR_COLOR }] : []),
  ];
  const join = () => {
    const client = playSession({ run_id: runs[0]!.id });
    client.setActor("person");
    setYou(client);
  };
  const canJoin = most > 1;
  return (
    <div className="flex flex-col gap-3 lg:grid lg:grid-cols-[minmax(0,2fr)_minmax(16rem,1fr)]">
      <div ref={place} className="flex min-w-0 flex-col gap-2">
        {you && seat ? (
          <YourStage client={you} seat={seat} onLeave={() => setYou(null)}>
            <Frame racers={racers} label={labelOf(racers)} />
          </YourStage>
        ) : (
          <div className={STAGE}>
            <Frame racers={racers} label={labelOf(racers)} />
          </div>
        )}
        <LiveControls {...controls} />
      </div>
      <div className="flex min-w-0 flex-col gap-2">
        <ol aria-label="Racers" className="flex flex-col divide-y divide-line">
          {racers.map((racer) => (
            <Standing key={racer.id} racer={racer} wanted={wanted} />
          ))}
        </ol>
        <div>
          {you ? (
            <Button size="sm" onClick={() => setYou(null)}>
              Leave the race
            </Button>
          ) : (
            <Button
              size="sm"
              needsService
              unavailable={canJoin ? null : "The service allows one session at a time."}
              icon={<Hand aria-hidden className="size-3.5" />}
              onClick={join}
            >
              Race against them
            </Button>
          )}
        </div>
        <p className="text-xs text-ink-faint">
          All play the same seed in step. A ghost whose episode is over stays faint until every
          episode is over.
        </p>
      </div>
    </div>
  );
}

const STAGE =
  "relative aspect-3/2 max-h-[60dvh] w-full overflow-hidden rounded-md border border-line bg-sunken";

function labelOf(racers: readonly Racer[]): string {
  return `${racers.map(({ name }) => name).join(", ")} in one frame`;
}

/** The ghosts of all racers, drawn whenever one of them has a new frame. */
function Frame({ racers, label }: { racers: readonly Racer[]; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const key = racers.map(({ id, color }) => `${id} ${color}`).join();
  const newest = useRef(racers);
  const hasFrame = useHasFrame(racers);
  // External system: the canvas.
  useEffect(() => {
    newest.current = racers;
  });
  // External systems: the sessions, which have new frames, and the canvas.
  useEffect(() => {
    const layer = document.createElement("canvas");
    let asked: number | null = null;
    const draw = () => {
      asked = null;
      const element = canvas.current;
      if (element) drawGhosts(element, layer, ghostsOf(newest.current, element));
    };
    const drawSoon = () => (asked ??= requestAnimationFrame(draw));
    const leave = newest.current.map(({ client }) => client.moment.subscribe(drawSoon));
    drawSoon();
    return () => {
      leave.forEach((one) => one());
      if (asked !== null) cancelAnimationFrame(asked);
    };
  }, [key]);
  return (
    <>
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        width={0}
        height={0}
        className="absolute inset-0 size-full object-contain"
      />
      {!hasFrame && (
        <p
          role="status"
          className="absolute inset-0 grid place-content-center p-4 text-center text-sm text-ink-soft"
        >
          Starting the environments…
        </p>
      )}
    </>
  );
}

function ghostsOf(racers: readonly Racer[], element: Element): Ghost[] {
  const colors = readTokenColors(element);
  return racers.flatMap(({ client, color }) => {
    const { picture, record } = client.moment.get() ?? {};
    if (!picture || picture.width === 0) return [];
    const isOver = record !== undefined && (record.terminated || record.truncated);
    return [{ picture, color: colors.of(color), isOver }];
  });
}

/** Whether any racer has a frame. */
function useHasFrame(racers: readonly Racer[]): boolean {
  const [first] = racers;
  const moment = useStore(first!.client.moment);
  return moment?.picture !== undefined && moment.picture !== null;
}

/** The progress of a racer, or why it does not play. */
function Standing({ racer, wanted }: { racer: Racer; wanted: boolean }) {
  const { client, name, style } = racer;
  useHeldSession(client, wanted);
  const state = useStore(client.state);
  const moment = useStore(client.moment);
  const record = moment?.record;
  const problem = missingPicture(state, moment !== null);
  const end = record?.terminated ? "terminated" : record?.truncated ? "truncated" : null;
  return (
    <li aria-label={name} className="flex min-w-0 items-center gap-2 py-1.5 text-sm tabular-nums">
      {style ? <Swatch seriesStyle={style} /> : <Hand aria-hidden className="mx-1.5 size-3.5" />}
      <span title={name} className="min-w-0 grow truncate font-medium">
        {name}
      </span>
      {problem ? (
        <span role="status" className="min-w-0 text-right text-xs text-ink-soft">
          {problem}
          {(state.phase === "refused" || state.phase === "ended") && (
            <Button size="sm" needsService className="ml-2" onClick={client.again}>
              Try again
            </Button>
          )}
        </span>
      ) : (
        record && (
          <span className={clsx("shrink-0 text-right text-xs", end ? "text-ink" : "text-ink-soft")}>
            Step {count(record.index)} · return {decimal(record.episode_return)}
            {end && ` · ${end}`}
          </span>
        )
      )}
    </li>
  );
}

interface YourStageProps {
  client: SessionClient;
  seat: YourSeat;
  onLeave: () => void;
  children: ReactNode;
}

/** The stage with the keys of the environment. They play for the user while the stage has the focus. */
function YourStage({ client, seat, onLeave, children }: YourStageProps) {
  const stage = useRef<HTMLDivElement>(null);
  const { hello, phase } = useStore(client.state);
  const keyInput = useMemo(() => hello && keysOf(hello, seat), [hello, seat]);
  // External system: animation frames, in which keys may still be moving a component.
  useEffect(() => () => keyInput?.letGo(), [keyInput]);
  const live = phase === "live";
  return (
    <>
      <KeysStage
        ref={stage}
        takesFocus
        keyInput={live ? keyInput : null}
        label="You in the race"
        onPress={() => undefined}
        onClick={() => stage.current?.focus({ preventScroll: true })}
        onEscape={onLeave}
        onLeave={() => undefined}
        className={STAGE}
      >
        {children}
      </KeysStage>
      {live && hello && keyInput && (
        <KeyCaps controls={hello.controls} keyInput={keyInput} onPress={() => undefined} />
      )}
    </>
  );
}

/** The keys of the environment, which act through the seat instead of at once. */
function keysOf({ controls, action_space: space }: SessionHello, seat: YourSeat): KeyInput {
  return new KeyInput({
    controls,
    counted: space.kind === "Discrete",
    act: seat.hold,
    pace: () => 1,
    frames: {
      request: (callback) => requestAnimationFrame(callback),
      cancel: (id) => cancelAnimationFrame(id),
    },
    now: () => performance.now(),
  });
}
