"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { CircleStop, Clapperboard, Copy, Play, ScrollText, Wrench } from "lucide-react";
import { explainAction } from "@/api/http";
import { useRunActions } from "@/api/run-actions";
import { canDo, isGuest, learns } from "@/api/run-availability";
import { isActive } from "@/api/runs";
import { snapshotsQuery } from "@/api/snapshots";
import type { RunDetail, RunStatus, SnapshotInfo } from "@/api/types";
import { count, plural, stepOf } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Button, buttonClass } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Disclosure } from "@/ui/disclosure";
import { HoverLink } from "@/ui/hover-link";
import { Notice } from "@/ui/notice";
import { useHeaderActions } from "./header/header-actions";
import { PauseNotice } from "./pause-notice";
import { DETAILS_ANCHOR, openTab, scrollToAnchor } from "./tabs/tab-address";
import { TrustNotice } from "./trust-notice";

const CUT_SHORT: readonly RunStatus[] = ["failed", "interrupted", "stopped"];

/** What a reader must know before the figures: why the run ended, what it waits for, and its warnings. */
export function RunNotices({ run }: { run: RunDetail }) {
  const open = (part: "events" | "log") => {
    openTab("data", (query) => query.set("details", part));
    scrollToAnchor(DETAILS_ANCHOR);
  };
  return (
    <>
      <TrustNotice run={run} />
      <DamageNotice run={run} />
      {CUT_SHORT.includes(run.status) && <EndingNotice run={run} onOpenLog={() => open("log")} />}
      <PauseNotice run={run} />
      {run.ended_early && run.status !== "stopped" && (
        <Notice tone="info" role="status" title="Ended early">
          <p className="break-words text-ink-soft">{run.ended_early}</p>
        </Notice>
      )}
      {run.status === "queued" && <QueueNotice position={run.queue_position} cause={run.cause} />}
      {run.length_note && (
        <Notice tone="warn" title="Too short to learn">
          <p className="break-words text-ink-soft">{run.length_note}</p>
        </Notice>
      )}
      {run.warnings > 0 && (
        <Notice tone="warn" title={plural(run.warnings, "warning")}>
          {run.last_warning && <p className="break-words text-ink-soft">{run.last_warning}</p>}
          {run.warnings > 1 && (
            <Button size="sm" variant="quiet" className="mt-1 -ml-2" onClick={() => open("events")}>
              All warnings
            </Button>
          )}
        </Notice>
      )}
    </>
  );
}

/** `cause`: what the run waits for besides a free slot. */
function QueueNotice({ position, cause }: { position: number | null; cause: string | null }) {
  const place =
    position === null ? "Waiting for a free training slot" : `Number ${position} in the queue`;
  return (
    <Notice tone={cause ? "warn" : "info"} role="status" title={place}>
      <p className="break-words text-ink-soft">
        {cause
          ? `It starts automatically as soon as there is space on the disk. ${cause}`
          : "It starts automatically as soon as another run ends."}
      </p>
    </Notice>
  );
}

/**
 * Files of the run that cannot be read or that a newer version wrote, what the user can do, and a button for an
 * automatic repair.
 */
function DamageNotice({ run }: { run: RunDetail }) {
  const { repair } = useRunActions();
  const asked = useMutation({ mutationFn: () => repair(run.id) });
  if (run.damage.length === 0) return null;
  const isNewer = run.damage.every(({ newer }) => newer);
  return (
    <Notice
      tone={isNewer ? "info" : "warn"}
      role="alert"
      title={
        isNewer
          ? "A newer version wrote this run"
          : `${plural(run.damage.length, "part")} of this run's folder cannot be read`
      }
    >
      <ul className="mt-1 flex flex-col gap-1 text-ink-soft">
        {run.damage.map(({ file, line, problem, remedy }) => (
          <li key={`${file} ${line}`} className="break-words">
            <code className="font-mono text-xs text-ink">
              {file}
              {line != null && `, line ${count(line)}`}
            </code>
            : {problem} {remedy}
          </li>
        ))}
      </ul>
      {asked.error && (
        <p role="alert" className="mt-1 text-bad">
          {explainAction(asked.error)}
        </p>
      )}
      {!isNewer && (
        <Button
          size="sm"
          variant="quiet"
          needsService
          className="mt-1 -ml-2"
          busy={asked.isPending}
          disabled={isActive(run)}
          onClick={() => asked.mutate()}
          icon={<Wrench aria-hidden className="size-3.5" />}
        >
          {isActive(run) ? "Repair (stop it first)" : "Repair: keep what can be read"}
        </Button>
      )}
    </Notice>
  );
}

interface EndingNoticeProps {
  run: RunDetail;
  onOpenLog: () => void;
}

/** A run that ended early: why, what was saved, and what can be done now. */
function EndingNotice({ run, onOpenLog }: EndingNoticeProps) {
  const stopped = run.status === "stopped";
  const { data: kept } = useQuery({ ...snapshotsQuery(run.id), enabled: learns(run) });
  const { resume, watch, error } = useHeaderActions(run);
  const snapshot = newestSnapshot(kept?.snapshots ?? []);
  const beginsAgain = kept?.snapshots.length === 0 && run.status === "interrupted" && run.step > 0;
  return (
    <Notice
      tone={stopped ? "info" : "bad"}
      icon={stopped ? CircleStop : undefined}
      role={stopped ? "status" : "alert"}
      title={stopped ? stopTitle(run) : (run.cause ?? `The run was ${run.status}.`)}
    >
      {stopped && run.cause && <p className="break-words text-ink-soft">{run.cause}</p>}
      {learns(run) && <p className="text-ink-soft">{whatWasSaved(run, snapshot)}</p>}
      {run.traceback && <Traceback text={run.traceback} />}
      {!isGuest(run) && (
        <div className="mt-1.5 -ml-2 flex flex-wrap gap-1">
          {(snapshot !== null || beginsAgain) && canDo("resume", run) && (
            <Button
              size="sm"
              variant="quiet"
              needsService
              busy={resume.isPending}
              onClick={() => resume.mutate(run.status)}
              icon={<Play aria-hidden className="size-3.5" />}
            >
              {snapshot !== null
                ? `Resume from step ${count(snapshot)}`
                : "Resume from the beginning"}
            </Button>
          )}
          {run.policy_step !== null && canDo("evaluate", run) && (
            <Button
              size="sm"
              variant="quiet"
              needsService
              busy={watch.isPending}
              onClick={() => watch.mutate(run.status)}
              icon={<Clapperboard aria-hidden className="size-3.5" />}
            >
              Evaluate what was saved
            </Button>
          )}
          <HoverLink href={routes.duplicate(run.id)} className={buttonClass("quiet", "sm")}>
            <Copy aria-hidden className="size-3.5" />
            {learns(run) ? "Train" : "Run"} again with these settings…
          </HoverLink>
          <Button
            size="sm"
            variant="quiet"
            onClick={onOpenLog}
            icon={<ScrollText aria-hidden className="size-3.5" />}
          >
            Open worker.log
          </Button>
        </div>
      )}
      {error && (
        <p role="alert" className="text-xs text-bad">
          {explainAction(error)}
        </p>
      )}
    </Notice>
  );
}

function stopTitle(run: RunDetail): string {
  return run.step === 0 ? "Stopped before its first step" : `Stopped at step ${stepOf(run)}`;
}

function Traceback({ text }: { text: string }) {
  return (
    <div className="relative mt-1">
      <Disclosure summary="Traceback">
        <pre
          tabIndex={0}
          className="mt-1 max-h-72 overflow-auto rounded-md border border-line bg-surface p-3 font-mono text-xs"
        >
          {text}
        </pre>
      </Disclosure>
      <div className="absolute top-0.5 right-0">
        <CopyButton text={text} label="Copy traceback" />
      </div>
    </div>
  );
}

type Saved = Pick<RunDetail, "status" | "step" | "policy_step" | "best_policy">;

/**
 * What a run that ended early has saved, in a sentence. `snapshot`: the step of the newest snapshot from which training
 * can continue; null without one, or while unknown.
 */
export function whatWasSaved(
  { step, policy_step, best_policy }: Saved,
  snapshot: number | null,
): string {
  if (step === 0 && policy_step === null)
    return "It ended before its first step: nothing was saved.";
  const kept = [`the curves up to step ${count(step)}`];
  if (policy_step !== null) kept.push(`the policy of step ${count(policy_step)}`);
  if (best_policy) kept.push(`the best policy, of step ${count(best_policy.step)}`);
  if (snapshot !== null)
    kept.push(`a snapshot of step ${count(snapshot)}, from which training can continue`);
  const list = kept.length > 1 ? `${kept.slice(0, -1).join(", ")} and ${kept.at(-1)}` : kept[0];
  return `Saved: ${list}.${policy_step === null ? " It ended before its first checkpoint." : ""}`;
}

/** Step of the newest snapshot from which training can continue; null without one. */
export function newestSnapshot(snapshots: readonly SnapshotInfo[]): number | null {
  const usable = snapshots.filter(({ whole, behind }) => whole && !behind);
  return usable.length === 0 ? null : Math.max(...usable.map(({ step }) => step));
}
