"use client";

import clsx from "clsx";
import {
  Gamepad2,
  Maximize,
  SquareArrowOutUpRight,
  StepBack,
  StepForward,
  Undo2,
} from "lucide-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useRunStill } from "@/api/choices";
import { whyNotYet } from "@/api/evaluate";
import { mapQuery } from "@/api/run-record";
import { isActive } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { type AgentStart, writeAgentStart } from "@/lib/agent-view";
import { useMediaQuery } from "@/lib/media";
import { count } from "@/lib/number";
import { changeQueryString, searchOf } from "@/lib/query-string";
import { routes } from "@/lib/routes";
import { useStore, useStoreValue } from "@/lib/use-store";
import { Stage, useCornerWindow } from "@/player/agent/stage";
import { ViewLayout } from "@/player/agent/views";
import { FrameCanvas } from "@/player/live/frame-canvas";
import {
  KeyCaps,
  KeysStage,
  type StageCommands,
  useKeyInput,
  useStageCommands,
} from "@/player/live/keys";
import { StageMessage } from "@/player/live/stage";
import { PlayKey, SpeedSelect } from "@/player/live/transport";
import type { KeyInput } from "@/player/session/key-input";
import type { SessionClient } from "@/player/session/session-client";
import type { SessionState } from "@/player/session/session-machine";
import {
  announceSession,
  useHeldSession,
  usePageSeen,
  watchSession,
} from "@/player/session/watch-session";
import { Key } from "@/player/video/transport";
import { Button, buttonClass } from "@/ui/button";
import { HoverLink } from "@/ui/hover-link";
import { Segmented } from "@/ui/segmented";
import { nameOfCell } from "../map/world";
import { LiveReading } from "./live-reading";
import { type Frozen, type FrozenPicture, useFrozenPicture } from "./use-frozen";

interface LiveWindowProps {
  run: RunDetail;
  /** Whether the user chose this view, so that an ended run plays too. */
  chosen: boolean;
  /** The cell in which episodes begin; null: at the environment's own start. Another one needs another window. */
  start?: AgentStart | null;
}

/**
 * The agent plays with its newest policy from the first second of training, and with the final one once the run has
 * ended. It plays only while it can be seen: the window is in sight or docked, and the page is visible.
 */
export function LiveWindow({ run, chosen, start = null }: LiveWindowProps) {
  const [client] = useState(() => watchSession(run.id, start));
  const screen = useRef<HTMLDivElement>(null);
  const game = useRef<HTMLDivElement>(null);
  const state = useStore(client.state);
  const hasFrame = useStoreValue(client.moment, (moment) => Boolean(moment?.picture));
  const [frozen, setFrozen] = useState<Frozen | null>(null);
  const [asked, setAsked] = useState(false);
  const still = useMediaQuery("(prefers-reduced-motion: reduce)");
  const begun = state.phase !== "resting";
  const corner = useCornerWindow(begun && hasFrame);
  const pageSeen = usePageSeen();
  const stillUrl = useRunStill(run);

  const reason = whyNotYet(run);
  // From a cell it begins wherever the page is scrolled to, and is docked then.
  const looks = corner.inView === true || ((begun || start !== null) && !corner.closed);
  // An ended run holds no session until someone asks for it.
  const mayBegin = asked || (!still && (chosen || isActive(run)));
  useHeldSession(client, reason === null && mayBegin && looks && pageSeen);
  useEffect(() => announceSession(run.id, client), [run.id, client]);

  const picture = useFrozenPicture(frozen);
  const keyInput = useKeyInput(client);
  const commands = useStageCommands(client, game);
  const live = state.phase === "live";
  const goLive = () => setFrozen(null);
  const taken = live && state.actor === "person";
  const canvas = (
    <FrameCanvas
      client={client}
      frozen={typeof picture === "string" ? null : picture}
      label={`${run.name} plays ${run.env_id}`}
    />
  );
  const pick = (moment: Frozen) => {
    client.pause();
    setFrozen(moment);
  };
  const toggleFullScreen = () => {
    const change = document.fullscreenElement
      ? document.exitFullscreen()
      : screen.current?.requestFullscreen?.();
    // A page inside a frame may not be allowed to fill the screen. Everything else still works.
    change?.catch(() => {});
  };
  return (
    <ViewLayout
      title={<LiveTitle run={run} state={state} start={start} />}
      meta={<LiveMeta run={run} client={client} />}
      stage={
        <div
          ref={screen}
          className="flex min-w-0 flex-col gap-2 bg-surface [&:fullscreen]:justify-center [&:fullscreen]:p-4"
        >
          <Stage
            label="Live"
            caption={liveTitle(run, state, start)}
            corner={{ ...corner, afloat: corner.afloat && begun }}
            stillUrl={hasFrame ? null : stillUrl}
          >
            {taken ? (
              <KeysStage
                ref={game}
                takesFocus
                keyInput={keyInput}
                label={run.env_id}
                onPress={commands.takeOver}
                onClick={commands.begin}
                onEscape={() => game.current?.blur()}
                onLeave={commands.leave}
                className="absolute inset-0"
              >
                {canvas}
              </KeysStage>
            ) : (
              canvas
            )}
            <StageMessage
              client={client}
              state={state}
              hasFrame={hasFrame}
              reason={reason}
              onWatch={mayBegin ? null : () => setAsked(true)}
            />
            {frozen && <FrozenMark index={frozen.record.index} {...{ picture }} />}
          </Stage>
          {start && <FromCell run={run} cell={start.cell} />}
          <PlayBar
            client={client}
            ownPage={start ? routes.playFromCell(run.id, start.cell) : routes.playRun(run.id)}
            frozen={frozen !== null}
            onLive={goLive}
            onFullScreen={toggleFullScreen}
          />
          <TakeControls client={client} keyInput={keyInput} commands={commands} />
        </div>
      }
      beside={
        <LiveReading
          client={client}
          run={run}
          frozen={frozen}
          expected={
            reason === null && mayBegin && state.phase !== "refused" && state.phase !== "ended"
          }
          onPick={pick}
          onLive={goLive}
        />
      }
    />
  );
}

/** Says in which cell episodes begin, and leads back to the environment's own start. */
function FromCell({ run, cell }: { run: RunDetail; cell: number }) {
  const { data: map } = useQuery(mapQuery(run, null));
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 text-xs text-ink-soft tabular-nums">
      <p>
        Each episode begins in a cell of the map
        {map?.world ? `: ${nameOfCell(map.world, cell)}` : ""}. Steps and return count from there.
      </p>
      <Button
        size="sm"
        variant="quiet"
        onClick={() =>
          changeQueryString((query) => {
            writeAgentStart(query, null);
            return searchOf(query);
          })
        }
      >
        Begin at the start
      </Button>
    </div>
  );
}

const WITHOUT_PICTURE = {
  "not kept": ", its frame was not kept",
  decoding: "",
  unreadable: ", its frame cannot be shown",
} as const;

function FrozenMark({ index, picture }: { index: number; picture: FrozenPicture }) {
  return (
    <span className="absolute top-2 left-2 rounded-sm bg-raised px-1.5 py-0.5 text-2xs text-ink-soft tabular-nums shadow-card">
      step {index}
      {typeof picture === "string" && WITHOUT_PICTURE[picture]}
    </span>
  );
}

interface PlayBarProps {
  client: SessionClient;
  /** Where the same is played on a page of its own. */
  ownPage: string;
  /** A chosen moment is shown; playing continues from the live one. */
  frozen: boolean;
  onLive: () => void;
  onFullScreen: () => void;
}

const icon = "size-4";

/** Controls: pause, one step back and forward, speed, a separate page, and full screen. */
function PlayBar({ client, ownPage, frozen, onLive, onFullScreen }: PlayBarProps) {
  const { phase, playing } = useStore(client.state);
  const live = phase === "live";
  const goesOn = live && playing && !frozen;
  const toggle = () => {
    if (goesOn) return client.pause();
    onLive();
    client.play();
  };
  const go = (step: () => void) => () => {
    onLive();
    step();
  };
  return (
    <div className="flex flex-wrap items-center gap-1">
      <PlayKey goesOn={goesOn} disabled={!live} onPress={toggle} />
      <Key label="One step back" disabled={!live} onPress={go(client.back)}>
        <StepBack aria-hidden className={icon} />
      </Key>
      <Key label="One step" disabled={!live} onPress={go(client.forward)}>
        <StepForward aria-hidden className={icon} />
      </Key>
      <SpeedSelect client={client} disabled={!live} />
      <HoverLink
        href={ownPage}
        aria-label="Play on a page of its own"
        title="Play on a page of its own"
        className={clsx(buttonClass("quiet", "sm"), "ml-auto")}
      >
        <SquareArrowOutUpRight aria-hidden className={icon} />
      </HoverLink>
      <Key label="Full screen" onPress={onFullScreen}>
        <Maximize aria-hidden className={icon} />
      </Key>
    </div>
  );
}

interface TakeControlsProps {
  client: SessionClient;
  keyInput: KeyInput | null;
  commands: StageCommands;
}

/**
 * Who acts, and how: the controls change hands in mid-episode, with the keys in sight while a person has them, and the
 * policy is greedy or explores.
 */
function TakeControls({ client, keyInput, commands }: TakeControlsProps) {
  const { phase, hello, actor, greedy } = useStore(client.state);
  const live = phase === "live";
  const isPerson = actor === "person";
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Button
          size="sm"
          disabled={!live}
          onClick={() => commands.handTo(isPerson ? "policy" : "person")}
          icon={
            isPerson ? (
              <Undo2 aria-hidden className="size-3.5" />
            ) : (
              <Gamepad2 aria-hidden className="size-3.5" />
            )
          }
        >
          {isPerson ? "Hand back" : "Take the controls"}
        </Button>
        <Segmented
          legend="Actions"
          options={[
            { value: "greedy", label: "Greedy", disabled: !live },
            { value: "exploring", label: "Exploring", disabled: !live },
          ]}
          value={greedy ? "greedy" : "exploring"}
          onChange={(value) => client.setGreedy(value === "greedy")}
        />
      </div>
      {isPerson && keyInput && hello && (
        <KeyCaps controls={hello.controls} keyInput={keyInput} onPress={commands.takeOver} />
      )}
    </div>
  );
}

type Whose = Pick<RunDetail, "status" | "update_seconds">;

/** Seconds after which newer weights are usually there: within an update of this length none are. */
const USUALLY_RENEWED = 2;

/** The policy that plays: "Policy of step 12,288"; for a completed run, "Final policy". */
export function liveTitle(
  run: Pick<Whose, "status">,
  { policy }: Pick<SessionState, "policy">,
  start: AgentStart | null = null,
): string {
  const isOfStep = start !== null && start.step !== null;
  const isFinal = !isOfStep && (run.status === "completed" || run.status === "stopped");
  if (!policy && isOfStep) return `Policy of step ${count(start.step!)}`;
  if (!policy) return isFinal ? "Final policy" : "Newest policy";
  const step = count(policy.step);
  return isFinal ? `Final policy, step ${step}` : `Policy of step ${step}`;
}

/** The rest of the title line: how old the policy is, the seed of the episode, and who acts. `now` as `since`. */
export function liveMeta(
  run: Whose,
  { policy, seed, actor, greedy }: Pick<SessionState, "policy" | "seed" | "actor" | "greedy">,
  now: number,
): string {
  if (actor === null) return "";
  return [
    policy && isActive(run) && ageOf((now - policy.since) / 1000, run.update_seconds ?? 0),
    seed !== null && `seed ${count(seed)}`,
    actor === "person" ? "you play" : greedy ? "greedy" : "exploring",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Why the weights are old: they change only at the end of an update, which takes many seconds. */
function ageOf(age: number, update: number): string {
  const waits = age > USUALLY_RENEWED && update > USUALLY_RENEWED;
  return `${seconds(age)} old${waits ? `, as an update takes ${seconds(update)}` : ""}`;
}

function seconds(value: number): string {
  const positive = Math.max(0, value);
  return `${positive < 10 ? positive.toFixed(1) : String(Math.round(positive))} s`;
}

interface LiveTitleProps {
  run: Whose;
  state: SessionState;
  start: AgentStart | null;
}

function LiveTitle({ run, state, start }: LiveTitleProps) {
  return (
    <>
      <span
        aria-hidden
        className={clsx(
          "size-2 shrink-0 rounded-full",
          state.phase === "live" ? "animate-breathe bg-accent" : "bg-line-strong",
        )}
      />
      {liveTitle(run, state, start)}
    </>
  );
}

/** Rendered with each frame, so that the age belongs to the visible frame. */
function LiveMeta({ run, client }: { run: Whose; client: SessionClient }) {
  const state = useStore(client.state);
  const moment = useStore(client.moment);
  return <>{liveMeta(run, state, moment?.shownAt ?? 0)}</>;
}
