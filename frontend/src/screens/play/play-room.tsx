"use client";

import { StepBack, StepForward } from "lucide-react";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { useEnvironmentStill, useLimits } from "@/api/choices";
import { apiLink } from "@/api/http";
import type { Actor } from "@/api/types";
import { count, decimal, parseNumber, plural } from "@/lib/number";
import { routes } from "@/lib/routes";
import { useStore, useStoreValue } from "@/lib/use-store";
import { FrameCanvas } from "@/player/live/frame-canvas";
import {
  KeyCaps,
  KeysStage,
  type StageCommands,
  useKeyInput,
  useStageCommands,
} from "@/player/live/keys";
import { LiveFacts, StageMessage } from "@/player/live/stage";
import { PlayKey, SpeedSelect } from "@/player/live/transport";
import { ReadingFigures } from "@/player/reading/reading-figures";
import { chosenAction } from "@/player/reading/space";
import type { SessionClient } from "@/player/session/session-client";
import type { SessionState } from "@/player/session/session-machine";
import { useHeldSession, usePageSeen } from "@/player/session/watch-session";
import { Key } from "@/player/video/transport";
import { Button, buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { Field } from "@/ui/field";
import { HoverLink } from "@/ui/hover-link";
import { Segmented } from "@/ui/segmented";
import { controlClass } from "@/ui/select";
import { Futures } from "./futures";
import { ROOM_GRID } from "./play-view";
import { PlayedEpisodes } from "./played-episodes";

interface PlayRoomProps {
  client: SessionClient;
  envId: string | null;
  /** Name of the game, for screen readers. */
  label: string;
  aside: ReactNode;
}

/** The stage, the keys, who plays, and the episodes so far. */
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
          <HoverLink href={routes.run(state.recorded.runId)} className={buttonClass()}>
            Kept as a run: {plural(state.recorded.episodes, "episode")}
          </HoverLink>
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

interface PlayControlsProps {
  client: SessionClient;
  commands: StageCommands;
}

const icon = "size-4";
const ACTORS: readonly { value: Actor; label: string }[] = [
  { value: "person", label: "You" },
  { value: "policy", label: "Policy" },
  { value: "random", label: "Random" },
];

/** Pause, single steps, speed, and at whose hands the controls are. */
function PlayControls({ client, commands }: PlayControlsProps) {
  const { phase, hello, playing, actor } = useStore(client.state);
  const live = phase === "live";
  const goesOn = live && playing;
  return (
    <div className="flex flex-wrap items-center gap-x-1 gap-y-1.5">
      <PlayKey
        goesOn={goesOn}
        disabled={!live}
        onPress={goesOn ? client.pause : actor === "person" ? commands.begin : client.play}
      />
      <Key label="One step back" disabled={!live} onPress={client.back}>
        <StepBack aria-hidden className={icon} />
      </Key>
      <Key label="One step" disabled={!live} onPress={client.forward}>
        <StepForward aria-hidden className={icon} />
      </Key>
      <SpeedSelect client={client} disabled={!live} />
      <Segmented
        legend="Who plays"
        className="ml-auto"
        options={ACTORS.filter(
          ({ value }) => hello?.actors.includes(value) ?? value === "person",
        ).map((each) => ({ ...each, disabled: !live }))}
        value={actor}
        onChange={commands.handTo}
      />
    </div>
  );
}

interface EpisodeSeedProps {
  client: SessionClient;
  disabled: boolean;
}

/** Another episode: with the next seed, or with one that was typed. */
function EpisodeSeed({ client, disabled }: EpisodeSeedProps) {
  const [text, setText] = useState("");
  const most = useLimits()?.seed.maximum ?? Number.MAX_SAFE_INTEGER;
  const seed = text.trim() === "" ? null : parseNumber(text);
  const wrong = seed !== null && !(Number.isInteger(seed) && seed >= 0 && seed <= most);
  const begin = (event: FormEvent) => {
    event.preventDefault();
    if (!wrong) client.reset(seed ?? undefined);
  };
  return (
    <Card label="Another episode" bodyClass="p-4">
      <form onSubmit={begin} className="flex items-end gap-2">
        <Field
          label="Seed"
          hint="Empty: the next one"
          error={wrong ? "Enter a whole number as seed" : undefined}
          className="grow"
        >
          {(control) => (
            <input
              {...control}
              inputMode="numeric"
              autoComplete="off"
              placeholder="next"
              className={controlClass}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" disabled={disabled || wrong} className="mb-5">
          New episode
        </Button>
      </form>
    </Card>
  );
}

const WHO = { person: "You play", policy: "The policy plays", random: "Random plays" } as const;

/** Who plays, and which episode: "You play, seed 1,000,000". */
function actorText({ actor, policy, seed }: SessionState): string {
  if (!actor) return "";
  const step = actor === "policy" && policy ? ` of step ${count(policy.step)}` : "";
  const who = actor === "policy" ? `The policy${step} plays` : WHO[actor];
  return seed === null ? who : `${who}, seed ${count(seed)}`;
}

/** What the policy of the run would do now, for any actor; nothing in a session without a policy. */
export function PolicyAdvice({ client }: { client: SessionClient }) {
  const record = useStore(client.moment)?.record;
  const { hello, actor, greedy } = useStore(client.state);
  if (!hello || !record?.reading) return null;
  const bounds = hello.action_bounds;
  const action = {
    ...hello.action_space,
    low: bounds?.map(([least]) => least ?? null),
    high: bounds?.map(([, greatest]) => greatest ?? null),
  };
  const { value } = record.reading;
  return (
    <Card
      title={actor === "policy" ? "What the policy does" : "What the policy would do"}
      bodyClass="flex flex-col gap-3 p-4"
    >
      <ReadingFigures
        record={record}
        action={action}
        chosen={chosenAction(record, null, actor !== "policy" || greedy, action)}
      />
      {value !== null && (
        <p className="text-xs text-ink-soft">
          Expected return, V(s):{" "}
          <b className="font-medium text-ink tabular-nums">{decimal(value)}</b>
        </p>
      )}
    </Card>
  );
}
