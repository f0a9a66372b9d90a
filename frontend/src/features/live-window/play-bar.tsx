"use client";

import clsx from "clsx";
import { Maximize, SquareArrowOutUpRight, StepBack, StepForward } from "lucide-react";
import Link from "next/link";
import { routes } from "@/lib/routes";
import { useStore } from "@/lib/use-store";
import { PlayKey, SpeedSelect } from "@/player/live/transport";
import type { SessionClient } from "@/player/session/session-client";
import { Key } from "@/player/video/transport";
import { buttonClass } from "@/ui/button";

interface PlayBarProps {
  client: SessionClient;
  runId: string;
  /** A moment that was picked is shown: playing goes on from the live one. */
  frozen: boolean;
  onLive: () => void;
  onFullScreen: () => void;
}

const icon = "size-4";

/** Pause, one step back and forward, speed, and where else it can be seen: on a page of its own, and in full screen. */
export function PlayBar({ client, runId, frozen, onLive, onFullScreen }: PlayBarProps) {
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
      <Link
        href={routes.playRun(runId)}
        aria-label="Play on a page of its own"
        title="Play on a page of its own"
        className={clsx(buttonClass("quiet", "sm"), "ml-auto")}
      >
        <SquareArrowOutUpRight aria-hidden className={icon} />
      </Link>
      <Key label="Full screen" onPress={onFullScreen}>
        <Maximize aria-hidden className={icon} />
      </Key>
    </div>
  );
}
