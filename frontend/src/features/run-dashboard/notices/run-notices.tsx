"use client";

import type { RunDetail, RunStatus } from "@/api/types";
import { plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { Notice } from "@/ui/notice";
import { scrollToDetails, useDetailsTab } from "../details/use-details-tab";
import { DamageNotice } from "./damage-notice";
import { EndingNotice } from "./ending-notice";
import { PauseNotice } from "./pause-notice";
import { TrustNotice } from "./trust-notice";

const CUT_SHORT: readonly RunStatus[] = ["failed", "interrupted", "stopped"];

/** What a reader must know before the figures: why it ended, what it waits for, what it warned of. */
export function RunNotices({ run }: { run: RunDetail }) {
  const [, openTab] = useDetailsTab();
  const open = (tab: "events" | "log") => {
    openTab(tab);
    scrollToDetails();
  };
  return (
    <>
      <TrustNotice run={run} />
      <DamageNotice run={run} />
      {CUT_SHORT.includes(run.status) && <EndingNotice run={run} onOpenLog={() => open("log")} />}
      <PauseNotice run={run} />
      {run.ended_early && run.status !== "stopped" && (
        <Notice tone="info" role="status" title="Ended before its budget">
          <p className="break-words text-ink-soft">{run.ended_early}</p>
        </Notice>
      )}
      {run.status === "queued" && <QueueNotice position={run.queue_position} cause={run.cause} />}
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

/** `cause`: what it waits for besides a free slot. */
function QueueNotice({ position, cause }: { position: number | null; cause: string | null }) {
  const place =
    position === null ? "Waiting for a free training slot" : `Number ${position} in the queue`;
  return (
    <Notice tone={cause ? "warn" : "info"} role="status" title={place}>
      <p className="break-words text-ink-soft">
        {cause
          ? `It starts by itself as soon as there is room on the disk. ${cause}`
          : "It starts by itself as soon as a running one ends."}
      </p>
    </Notice>
  );
}
