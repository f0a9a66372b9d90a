"use client";

import { LoaderCircle, MonitorPlay } from "lucide-react";
import type { ReactNode } from "react";
import type { SessionClient } from "@/lib/session/session-client";
import type { SessionState } from "@/lib/session/session-state";
import { Button } from "@/ui/button";
import { SessionRefusal } from "./session-refusal";

interface StageMessageProps {
  client: SessionClient;
  state: SessionState;
  /** Whether the canvas already shows a frame. */
  hasFrame: boolean;
  /** Why no policy can play yet; null if one can. */
  reason: string | null;
  /** Starts the session on request; null if it starts by itself. */
  onWatch?: (() => void) | null;
  /** Starts another session after this one has ended. */
  again?: string;
}

/** A message on the stage while nothing is played: why, and what can be done. */
export function StageMessage({
  client,
  state,
  hasFrame,
  reason,
  onWatch = null,
  again = "Watch again",
}: StageMessageProps) {
  const { phase, refusal, cause } = state;
  if (reason !== null) return <Sentence text={reason} />;
  if (phase === "refused" && refusal) {
    return <SessionRefusal refusal={refusal} onAgain={client.again} />;
  }
  if (phase === "ended") {
    return (
      <Sentence alert text={cause ?? "The session has ended."}>
        <Button size="sm" needsService onClick={client.again}>
          {again}
        </Button>
      </Sentence>
    );
  }
  if (onWatch) {
    return (
      <Sentence text="">
        <Button onClick={onWatch} icon={<MonitorPlay aria-hidden className="size-3.5" />}>
          Watch it play
        </Button>
      </Sentence>
    );
  }
  if (phase === "waiting") return <Sentence busy text="The connection was lost. Trying again…" />;
  if (phase !== "resting" && !hasFrame) return <Sentence busy text="The agent takes its place…" />;
  return null;
}

interface SentenceProps {
  text: string;
  alert?: boolean;
  busy?: boolean;
  children?: ReactNode;
}

function Sentence({ text, alert = false, busy = false, children }: SentenceProps) {
  return (
    <div
      role={alert ? "alert" : "status"}
      className="absolute inset-0 grid place-content-center justify-items-center gap-2.5 p-4 text-center"
    >
      {text && (
        <p className="flex max-w-80 items-center gap-2 rounded-md bg-raised/90 px-2.5 py-1.5 text-sm text-ink-soft shadow-card">
          {busy && <LoaderCircle aria-hidden className="size-3.5 shrink-0 animate-spin" />}
          {text}
        </p>
      )}
      {children}
    </div>
  );
}
