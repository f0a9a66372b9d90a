"use client";

import { useEffect, useRef, useState } from "react";
import { useRunStill } from "@/api/choices";
import { whyNotYet } from "@/api/evaluate";
import type { RunDetail } from "@/api/types";
import { useMediaQuery } from "@/lib/media";
import { useStore, useStoreValue } from "@/lib/use-store";
import { Stage, useCornerWindow } from "@/player/agent/stage";
import { ViewLayout } from "@/player/agent/views";
import { FrameCanvas } from "@/player/live/frame-canvas";
import { KeysStage, useKeyInput, useStageCommands } from "@/player/live/keys";
import { StageMessage } from "@/player/live/stage";
import {
  announceSession,
  useHeldSession,
  usePageSeen,
  watchSession,
} from "@/player/session/watch-session";
import { LiveReading } from "./live-reading";
import { LiveMeta, LiveTitle, liveTitle } from "./live-title";
import { PlayBar } from "./play-bar";
import { TakeControls } from "./take-controls";
import { type Frozen, type FrozenPicture, useFrozenPicture } from "./use-frozen";

interface LiveWindowProps {
  run: RunDetail;
}

/**
 * The agent plays, with its newest policy, from the first second of training; once the run has ended, with the final
 * one. It plays only while somebody looks: the window is in sight, or small in a corner, and the page is seen.
 */
export function LiveWindow({ run }: LiveWindowProps) {
  const [client] = useState(() => watchSession(run.id));
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
  const looks = corner.inView === true || (begun && !corner.closed);
  const mayBegin = !still || asked;
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
      title={<LiveTitle run={run} state={state} />}
      meta={<LiveMeta run={run} client={client} />}
      stage={
        <div
          ref={screen}
          className="flex min-w-0 flex-col gap-2 bg-surface [&:fullscreen]:justify-center [&:fullscreen]:p-4"
        >
          <Stage
            label="Live"
            caption={liveTitle(run, state)}
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
          <PlayBar
            client={client}
            runId={run.id}
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
