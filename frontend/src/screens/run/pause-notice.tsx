"use client";

import { useQuery } from "@tanstack/react-query";
import { CirclePause } from "lucide-react";
import { snapshotsQuery } from "@/api/snapshots";
import type { RunDetail, SnapshotInfo } from "@/api/types";
import { count, plural, stepOf } from "@/lib/number";
import { Notice } from "@/ui/notice";

/** A run that pauses, is paused, or has continued from a snapshot. */
export function PauseNotice({ run }: { run: RunDetail }) {
  const { data } = useQuery({ ...snapshotsQuery(run.id), enabled: run.status === "paused" });
  const held = data?.snapshots.find(({ name }) => name === data.newest);
  const words = pauseText(run, held);
  const resumed = resumedText(run);
  return (
    <>
      {words && (
        <Notice
          tone="info"
          role="status"
          title={words.title}
          icon={run.status === "paused" ? CirclePause : undefined}
        >
          <p className="text-ink-soft">{words.text}</p>
        </Notice>
      )}
      {resumed && (
        <p role="status" className="text-xs text-ink-soft">
          {resumed}
          {run.resumed?.diverged_at != null &&
            ` From step ${count(run.resumed.diverged_at)} on the newest attempt is shown.`}
        </p>
      )}
    </>
  );
}

type Paused = Pick<RunDetail, "status" | "step" | "end_step" | "saves_at">;
type Held = Pick<SnapshotInfo, "exact" | "not_exact_because">;
type Continued = Pick<RunDetail, "status" | "resumed" | "parent" | "attempt" | "superseded">;

/**
 * What a pausing or paused run waits for; null for any other run. `held` is the snapshot that it continues from, once
 * known.
 */
export function pauseText({ status, step, end_step, saves_at }: Paused, held?: Held) {
  if (status === "pausing") {
    return {
      title: saves_at === null ? "Pausing" : `Saving at step ${count(saves_at)}`,
      text: "Training continues in the background until this rollout ends. Then the run is saved and paused.",
    };
  }
  if (status !== "paused") return null;
  return {
    title: `Paused at step ${stepOf({ step, end_step })}`,
    text: ["Everything is saved, and no process runs.", held && howItContinues(held)]
      .filter(Boolean)
      .join(" "),
  };
}

function howItContinues({ exact, not_exact_because: reason }: Held): string {
  if (exact) return "Resume continues exactly where it was.";
  return `Resume continues from there, but not exactly. ${reason ?? ""}`.trim();
}

/** How the newest attempt continued from a snapshot, in a sentence; null if it did not. */
export function resumedText(run: Continued): string | null {
  const { status, resumed } = run;
  if (!resumed || status === "queued" || status === "starting") return null;
  const from = `${beginning(run)} step ${count(resumed.step)}`;
  if (resumed.not_exact_because) return `${from}, but not exactly. ${resumed.not_exact_because}`;
  if (resumed.diverged_at !== null) {
    return `${from}, but not exactly: ${plural(resumed.verified ?? 0, "row")} identical to those before, then a difference.`;
  }
  if (resumed.verified === null) return `${from}.`;
  if (resumed.left) {
    return `${from}: ${plural(resumed.verified, "row")} trained again, identical to those before; ${count(resumed.left)} not reached.`;
  }
  if (resumed.verified === 0) return `${from}, exactly where it was.`;
  return `${from}: ${plural(resumed.verified, "row")} trained again, identical to those before.`;
}

/** A fork starts at its parent's step. After a rollback, rows are discarded without a comparison. */
function beginning({ resumed, parent, attempt, superseded }: Continued): string {
  if (attempt === 1 && parent) return "Started at its parent's";
  const wentBack =
    resumed?.diverged_at === null && superseded.some((stretch) => stretch.attempt === attempt);
  return wentBack ? "Rolled back to" : "Resumed from";
}
