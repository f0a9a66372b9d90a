"use client";

import { Power, StepForward } from "lucide-react";
import { useRef, useState } from "react";
import { useStore, useStoreValue } from "@/lib/use-store";
import { FrameCanvas } from "@/player/live/frame-canvas";
import { KeyCaps, KeysStage, useKeyInput, useStageCommands } from "@/player/live/keys";
import { StageMessage } from "@/player/live/stage";
import { PlayKey, SpeedSelect } from "@/player/live/transport";
import type { SessionClient } from "@/player/session/session-client";
import { useSessionKeptWhileHidden } from "@/player/session/watch-session";
import { Key } from "@/player/video/transport";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Notice } from "@/ui/notice";

/** The game, played by keyboard or touch, with pause and single steps. */
export function DescribedStage({ client, label }: { client: SessionClient; label: string }) {
  const stage = useRef<HTMLDivElement>(null);
  const pauseKey = useRef<HTMLDivElement>(null);
  const state = useStore(client.state);
  const hasFrame = useStoreValue(client.moment, (moment) => Boolean(moment?.picture));
  const keyInput = useKeyInput(client);
  const commands = useStageCommands(client, stage);
  useSessionKeptWhileHidden(client);
  const [acknowledged, setAcknowledged] = useState(0);
  const live = state.phase === "live";
  const goesOn = live && state.playing;
  const controls = state.hello?.controls;
  return (
    <Card title="Game" bodyClass="flex flex-col gap-3 p-3">
      {state.replacements > acknowledged && (
        <Notice tone="warn" role="status" title="The game was started again">
          <p>
            The connection was lost for so long that the service ended the session. The position in
            the game and the search are lost; the description below is not.
          </p>
          <Button size="sm" className="mt-2" onClick={() => setAcknowledged(state.replacements)}>
            Close
          </Button>
        </Notice>
      )}
      <div className="relative">
        <KeysStage
          ref={stage}
          keyInput={live ? keyInput : null}
          label={label}
          onPress={commands.takeOver}
          onClick={commands.begin}
          onEscape={() => pauseKey.current?.querySelector("button")?.focus()}
          onLeave={commands.leave}
          className="relative aspect-10/9 max-h-[46dvh] w-full overflow-hidden rounded-md border border-line bg-sunken [image-rendering:pixelated]"
        >
          <FrameCanvas client={client} frozen={null} label={label} />
        </KeysStage>
        <StageMessage
          client={client}
          state={state}
          hasFrame={hasFrame}
          reason={null}
          again="Start the game again"
        />
        {live && !state.playing && hasFrame && (
          <p className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
            <span className="rounded-md bg-raised/90 px-2.5 py-1 text-xs text-ink-soft shadow-card">
              <span className="max-md:hidden">Paused. Click here and press a key to play.</span>
              <span className="md:hidden">Paused. Press a key below to play.</span>
            </span>
          </p>
        )}
      </div>
      <div ref={pauseKey} className="flex flex-wrap items-center gap-1">
        <PlayKey
          goesOn={goesOn}
          disabled={!live}
          onPress={goesOn ? client.pause : commands.begin}
        />
        <Key label="One step" disabled={!live} onPress={client.forward}>
          <StepForward aria-hidden className="size-4" />
        </Key>
        <SpeedSelect client={client} disabled={!live} />
        <span className="ml-auto" />
        <Key label="Switch off and on" disabled={!live} onPress={() => client.reset()}>
          <Power aria-hidden className="size-4" />
        </Key>
      </div>
      {controls && keyInput && live && (
        <KeyCaps controls={controls} keyInput={keyInput} onPress={commands.takeOver} />
      )}
      <p role="status" className="text-xs wrap-anywhere text-bad empty:-mt-3">
        {state.complaint}
      </p>
    </Card>
  );
}
