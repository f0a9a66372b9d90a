"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleStop, Clapperboard, Copy, Play, ScrollText } from "lucide-react";
import Link from "next/link";
import { explainAction } from "@/api/http";
import { canDo, isGuest, learns } from "@/api/run-availability";
import { snapshotsQuery } from "@/api/snapshots";
import type { RunDetail } from "@/api/types";
import { count, stepOf } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Button, buttonClass } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Disclosure } from "@/ui/disclosure";
import { Notice } from "@/ui/notice";
import { useHeaderActions } from "../header/use-header-actions";
import { newestSnapshot, whatWasSaved } from "./what-was-saved";

interface EndingNoticeProps {
  run: RunDetail;
  onOpenLog: () => void;
}

/** A run that did not come to its end: why, what was saved, and what can be done now. */
export function EndingNotice({ run, onOpenLog }: EndingNoticeProps) {
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
          <Link href={routes.duplicate(run.id)} className={buttonClass("quiet", "sm")}>
            <Copy aria-hidden className="size-3.5" />
            {learns(run) ? "Train" : "Run"} again with these settings…
          </Link>
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
