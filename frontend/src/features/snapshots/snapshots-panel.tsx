"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { canDo, whyLookedAtOnly } from "@/api/run-availability";
import { isActive } from "@/api/runs";
import { snapshotsQuery } from "@/api/snapshots";
import type { RunDetail, RunSnapshots } from "@/api/types";
import { planText } from "@/forms/snapshot-plan";
import { bytes, plural } from "@/lib/number";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { useShortened } from "@/ui/tooltip";
import { ChangePlan } from "./change-plan";
import { ConfirmAction } from "./confirm-action";
import { ForkAtStep } from "./fork-at-step";
import { ForkDialog } from "./fork-dialog";
import { KeepSnapshot } from "./keep-snapshot";
import { SnapshotRow } from "./snapshot-row";
import { type SnapshotAction, whyNotForkAtStep } from "./snapshot-rule";
import { TakeSnapshot } from "./take-snapshot";

/** Snapshots that are listed at first, the newest ones. */
const MOST = 10;

/** Snapshots come with the rollouts, of which no event of the stream tells. */
const WHILE_LIVE = 3000;

/** The snapshots of a run: which there are, what they take, and what can be done with each. */
export function SnapshotsPanel({ run }: { run: RunDetail }) {
  const { data, error, refetch, isFetching } = useQuery({
    ...snapshotsQuery(run.id),
    refetchInterval: isActive(run) ? WHILE_LIVE : (false as const),
  });
  if (data) return <Snapshots run={run} found={data} />;
  if (!error) return <Skeleton className="m-4 h-40" />;
  return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
}

/** A snapshot that the page has asked for: it is there when one has come that was not there before. */
interface Asked {
  attempt: number;
  before: ReadonlySet<string>;
}

function Snapshots({ run, found }: { run: RunDetail; found: RunSnapshots }) {
  const { snapshots } = found;
  const [pending, setPending] = useState<{ action: SnapshotAction; name: string } | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [forkStep, setForkStep] = useState<number | null>(null);
  const chosen = snapshots.find(({ name }) => name === pending?.name);
  const { shown, more } = useShortened(snapshots.toReversed(), MOST);
  const close = () => setPending(null);
  const canTake = canDo("snapshot", run);
  const awaited =
    canTake &&
    asked?.attempt === run.attempt &&
    !snapshots.some(({ name, trigger }) => trigger === "requested" && !asked.before.has(name));
  return (
    <div className="p-4">
      <div className="flex min-h-7 flex-wrap items-center justify-between gap-2 text-xs text-ink-faint">
        <span className="tabular-nums">{totalText(found)}</span>
        <span className="flex flex-wrap gap-2">
          {found.plan && whyLookedAtOnly(run) === null && (
            <ChangePlan run={run} plan={found.plan} />
          )}
          {whyNotForkAtStep(run) === null && <ForkAtStep run={run} onFork={setForkStep} />}
          {canTake && (
            <TakeSnapshot
              run={run.id}
              busy={awaited}
              onAsked={() =>
                setAsked({
                  attempt: run.attempt,
                  before: new Set(snapshots.map(({ name }) => name)),
                })
              }
            />
          )}
        </span>
      </div>
      {awaited && (
        <p role="status" className="mt-1 text-xs text-ink-soft">
          It is taken at the start of the next rollout.
        </p>
      )}
      {snapshots.length === 0 ? (
        <p className="py-6 text-center text-sm text-ink-soft">{whyNone(run)}</p>
      ) : (
        <ul aria-label="Snapshots" className="mt-1 divide-y divide-line">
          {shown.map((snapshot) => (
            <SnapshotRow
              key={snapshot.name}
              run={run}
              snapshot={snapshot}
              isNewest={snapshot.name === found.newest}
              onAct={(action) => setPending({ action, name: snapshot.name })}
            />
          ))}
        </ul>
      )}
      {more}
      {forkStep !== null && (
        <ForkDialog run={run} at={forkStep} onClose={() => setForkStep(null)} />
      )}
      {chosen && pending?.action === "fork" && <ForkDialog run={run} at={chosen} onClose={close} />}
      {chosen && pending?.action === "keep" && (
        <KeepSnapshot run={run.id} snapshot={chosen} onClose={close} />
      )}
      {chosen && pending && pending.action !== "fork" && pending.action !== "keep" && (
        <ConfirmAction
          run={run}
          action={pending.action}
          snapshot={chosen}
          snapshots={snapshots}
          onClose={close}
        />
      )}
    </div>
  );
}

/** How many there are, what they take, and when they are taken. */
function totalText({ snapshots, bytes: taken, plan }: RunSnapshots): string {
  const planned = plan ? ` · ${planText(plan)}` : "";
  return `${plural(snapshots.length, "snapshot")} · ${bytes(taken)}${planned}`;
}

function whyNone(run: RunDetail): string {
  if (run.status === "created" || run.status === "queued") {
    return "The first snapshot is taken when the run trains.";
  }
  return isActive(run)
    ? "No snapshot yet. One is taken by itself as training goes on, and at its end."
    : "This run has no snapshot, so it cannot go on.";
}
