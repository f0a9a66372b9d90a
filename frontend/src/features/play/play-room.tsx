"use client";

import Link from "next/link";
import { type ReactNode, useRef } from "react";
import { useEnvironmentStill } from "@/api/choices";
import { apiLink } from "@/api/http";
import { plural } from "@/lib/number";
import { routes } from "@/lib/routes";
import { useStore, useStoreValue } from "@/lib/use-store";
import { FrameCanvas } from "@/player/live/frame-canvas";
import { KeyCaps, KeysStage, useKeyInput, useStageCommands } from "@/player/live/keys";
import { LiveFacts, StageMessage } from "@/player/live/stage";
import type { SessionClient } from "@/player/session/session-client";
import { useHeldSession, usePageSeen } from "@/player/session/watch-session";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { actorText } from "./actor-text";
import { EpisodeSeed } from "./episode-seed";
import { Futures } from "./futures";
import { PlayControls } from "./play-controls";
import { ROOM_GRID } from "./play-skeletons";
import { PlayedEpisodes } from "./played-episodes";
import { PolicyAdvice } from "./policy-advice";

interface PlayRoomProps {
  client: SessionClient;
  envId: string | null;
  /** What is played, for those who do not see it. */
  label: string;
  aside: ReactNode;
}

/** The stage, the keys, who plays, and what came of it. */
export function PlayRoom({ client, envId, label, aside }: PlayRoomProps) {
  const stage = useRef<HTMLDivElement>(null);
  const pauseKey = useRef<HTMLDivElement>(null);
  const state = useStore(client.state);
  const hasFrame = useStoreValue(client.moment, (moment) => Boolean(moment?.picture));
  const record = useStoreValue(client.moment, (moment) => moment?.record ?? null);
  const keyInput = useKeyInput(client);
  const commands = useStageCommands(client, stage);
  const stillUrl = useEnvironmentStill()(envId ?? "");
  useHeldSession(client, usePageSeen());

  const live = state.phase === "live";
  const controls = state.hello?.controls;
  return (
    <div className={ROOM_GRID}>
      <Card label="Stage" bodyClass="flex flex-col gap-3 p-3 md:p-4">
        <div className="relative">
          <KeysStage
            ref={stage}
            keyInput={live ? keyInput : null}
            label={label}
            onPress={commands.takeOver}
            onClick={commands.begin}
            onEscape={() => pauseKey.current?.querySelector("button")?.focus()}
            onLeave={commands.leave}
            className="relative aspect-3/2 max-h-[52dvh] w-full overflow-hidden rounded-md border border-line bg-sunken"
          >
            {!hasFrame && stillUrl && (
              // The export has no image service, and the picture is small already.
              // eslint-disable-next-line @next/next/no-img-element
              <img
                src={apiLink(stillUrl)}
                alt=""
                className="absolute inset-0 size-full object-contain opacity-60"
              />
            )}
            <FrameCanvas client={client} frozen={null} label={label} />
          </KeysStage>
          <StageMessage
            client={client}
            state={state}
            hasFrame={hasFrame}
            reason={null}
            again="Play again"
          />
          {live && !state.playing && hasFrame && <Invitation person={state.actor === "person"} />}
        </div>
        <div ref={pauseKey}>
          <PlayControls client={client} commands={commands} />
        </div>
        <LiveFacts record={record} policy={actorText(state)} />
        {controls && keyInput && live && (
          <KeyCaps controls={controls} keyInput={keyInput} onPress={commands.takeOver} />
        )}
        <p role="status" className="text-xs text-bad empty:-mt-3">
          {state.complaint}
        </p>
      </Card>
      <div className="flex flex-col gap-4">
        <PolicyAdvice client={client} />
        <EpisodeSeed client={client} disabled={!live} />
        {controls && state.hello && (
          <Futures client={client} controls={controls} space={state.hello.action_space} />
        )}
        <PlayedEpisodes client={client} />
        {state.recorded && (
          <Link href={routes.run(state.recorded.runId)} className={buttonClass()}>
            Kept as a run: {plural(state.recorded.episodes, "episode")}
          </Link>
        )}
        {aside}
      </div>
    </div>
  );
}

/** Lies over the picture without taking its clicks. */
function Invitation({ person }: { person: boolean }) {
  return (
    <p className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
      <span className="rounded-md bg-raised/90 px-2.5 py-1 text-xs text-ink-soft shadow-card">
        {!person && "Paused"}
        {person && (
          <>
            <span className="max-md:hidden">Paused. Click here and press a key to play.</span>
            <span className="md:hidden">Paused. Press a key below to play.</span>
          </>
        )}
      </span>
    </p>
  );
}
