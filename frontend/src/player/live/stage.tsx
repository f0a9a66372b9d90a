"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { LoaderCircle, MonitorPlay } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import type { ApiError } from "@/api/http";
import { runQuery } from "@/api/runs";
import { endSession, sessionsQuery } from "@/api/sessions";
import type { Session, StepRecord } from "@/api/types";
import { count, decimal, NONE } from "@/lib/number";
import { Button } from "@/ui/button";
import type { SessionClient } from "../session/session-client";
import type { SessionState } from "../session/session-machine";

interface StageMessageProps {
  client: SessionClient;
  state: SessionState;
  /** Whether the canvas already shows a frame. */
  hasFrame: boolean;
  /** Why no policy can play yet; null if one can. */
  reason: string | null;
  /** Starts the session on request; null if it starts automatically. */
  onWatch?: (() => void) | null;
  /** Starts another session after this one has ended. */
  again?: string;
}

/** A message on the stage while nothing plays: the reason, and what the user can do. */
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
  if (phase !== "resting" && !hasFrame) return <Sentence busy text="Starting the environment…" />;
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

interface SessionRefusalProps {
  refusal: ApiError;
  onAgain: () => void;
}

const TOO_MANY = 409;
const RETRY_MS = 5_000;

/**
 * Why the service refused a session. If other sessions take every place, this one is requested again every few seconds,
 * and each of the others has a button that stops it.
 */
export function SessionRefusal({ refusal, onAgain }: SessionRefusalProps) {
  const { data: others } = useQuery({
    ...sessionsQuery,
    enabled: refusal.status === TOO_MANY,
    staleTime: 0,
  });
  const takeOver = useMutation({ mutationFn: endSession, onSettled: onAgain });
  const full = refusal.status === TOO_MANY && others?.length !== 0;
  // External system: the clock. A place may become free; every refusal restarts the wait.
  useEffect(() => {
    if (!full) return;
    const timer = setTimeout(onAgain, RETRY_MS);
    return () => clearTimeout(timer);
  }, [full, onAgain, refusal]);
  return (
    <div
      role="alert"
      className="absolute inset-0 overflow-y-auto bg-sunken p-3 text-center text-sm text-ink-soft"
    >
      <div className="grid min-h-full place-content-center justify-items-center gap-2">
        {full ? (
          <>
            <p className="font-semibold text-ink">
              {!others
                ? "Other windows are already playing"
                : others.length === 1
                  ? "Another window is already playing"
                  : `${count(others.length)} other windows are already playing`}
            </p>
            <p className="max-w-80">
              This window starts automatically as soon as one of them stops or is hidden.
            </p>
          </>
        ) : (
          <p className="max-w-80">{[refusal.title, refusal.detail].filter(Boolean).join(". ")}</p>
        )}
        {others?.map((session) => (
          <Button
            key={session.id}
            size="sm"
            needsService
            busy={takeOver.isPending && takeOver.variables === session.id}
            onClick={() => takeOver.mutate(session.id)}
          >
            Stop <SessionName session={session} /> and play here
          </Button>
        ))}
        {!full && (
          <Button size="sm" variant="quiet" needsService onClick={onAgain}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}

function SessionName({ session: { run_id, env_id } }: { session: Session }) {
  const { data: run } = useQuery({ ...runQuery(run_id ?? ""), enabled: run_id !== null });
  return <span className="max-w-40 truncate">{run?.name ?? env_id}</span>;
}

interface LiveFactsProps {
  /** What is on screen; null before the first frame. */
  record: StepRecord | null;
  /** A description of the actor, if nothing else names it. */
  policy?: string;
}

/** Episode, step and return on screen, and who acts. Space is reserved while they are unknown. */
export function LiveFacts({ record, policy }: LiveFactsProps) {
  return (
    <div className="flex flex-col gap-1.5">
      <dl className="grid grid-cols-[auto_auto_minmax(0,1fr)] gap-x-5 text-xs">
        <Fact label="Episode">{record ? count(record.episode + 1) : NONE}</Fact>
        <Fact label="Step">{record ? count(record.index) : NONE}</Fact>
        <Fact label="Return">
          {record ? decimal(record.episode_return) : NONE}
          {record && ending(record)}
        </Fact>
      </dl>
      {policy !== undefined && (
        <p className="min-h-4.25 truncate text-xs text-ink-faint tabular-nums" title={policy}>
          {policy}
        </p>
      )}
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 items-baseline gap-1.5">
      <dt className="text-ink-faint">{label}</dt>
      <dd className="min-w-[4ch] truncate font-medium tabular-nums">{children}</dd>
    </div>
  );
}

function ending({ terminated, truncated }: StepRecord) {
  if (!terminated && !truncated) return null;
  return (
    <span className="font-normal text-ink-soft"> {terminated ? "terminated" : "truncated"}</span>
  );
}
