"use client";

import clsx from "clsx";
import { isActive } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { count } from "@/lib/number";
import { useStore } from "@/lib/use-store";
import type { SessionClient } from "@/player/session/session-client";
import type { SessionState } from "@/player/session/session-machine";

type Whose = Pick<RunDetail, "status" | "update_seconds">;

/** Seconds after which newer weights are usually there: within an update of this length none are. */
const USUALLY_RENEWED = 2;

/** Which policy plays: "Policy of step 12,288"; of a run that came to its own end, "Final policy". */
export function liveTitle(
  run: Pick<Whose, "status">,
  { policy }: Pick<SessionState, "policy">,
): string {
  const isFinal = run.status === "completed" || run.status === "stopped";
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

/** Why it is old, where that is because the weights change only when an update of many seconds is done. */
function ageOf(age: number, update: number): string {
  const waits = age > USUALLY_RENEWED && update > USUALLY_RENEWED;
  return `${seconds(age)} old${waits ? `, as an update takes ${seconds(update)}` : ""}`;
}

function seconds(value: number): string {
  const positive = Math.max(0, value);
  return `${positive < 10 ? positive.toFixed(1) : String(Math.round(positive))} s`;
}

export function LiveTitle({ run, state }: { run: Whose; state: SessionState }) {
  return (
    <>
      <span
        aria-hidden
        className={clsx(
          "size-2 shrink-0 rounded-full",
          state.phase === "live" ? "animate-breathe bg-accent" : "bg-line-strong",
        )}
      />
      {liveTitle(run, state)}
    </>
  );
}

/** Drawn anew with each frame, so that the age is that of what is seen. */
export function LiveMeta({ run, client }: { run: Whose; client: SessionClient }) {
  const state = useStore(client.state);
  const moment = useStore(client.moment);
  return <>{liveMeta(run, state, moment?.shownAt ?? 0)}</>;
}
