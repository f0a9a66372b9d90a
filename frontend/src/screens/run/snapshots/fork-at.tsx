"use client";

import { GitFork, MonitorPlay, X } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import type { RunDetail, SnapshotInfo } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { type ChartGroup, useMoment } from "@/charts/chart-group";
import { count } from "@/lib/number";
import { Button } from "@/ui/button";
import { CurveMenuButton } from "./curve-menu-button";
import type { ForkedCell } from "./fork-dialog";
import { whyNotForkAtStep } from "./snapshot-text";

const ForkDialog = dynamic(
  withRetry(() => import("./fork-dialog").then((module) => module.ForkDialog)),
  { ssr: false },
);

interface ForkAtProps {
  run: RunDetail;
  /** The snapshot to fork at, or a step. */
  at: SnapshotInfo | number;
  /** A cell of the map in which episodes of the fork begin. */
  cell?: ForkedCell;
  onClose: () => void;
}

/** A dialog that forks the run, loaded when it is opened. */
export function ForkAt(props: ForkAtProps) {
  return <ForkDialog {...props} />;
}

interface MomentBarProps {
  run: RunDetail;
  group: ChartGroup;
  /** Plays the policy of the moment, if it does not play already. */
  onWatch?: () => void;
  className?: string;
}

/** The actions at the chosen point of the curve. Hidden if none is chosen. */
export function MomentBar({ run, group, onWatch, className = "" }: MomentBarProps) {
  const moment = useMoment(group);
  const [forkedAt, setForkedAt] = useState<number | null>(null);
  if (moment === null) return null;
  const step = Math.min(moment, run.step);
  return (
    <div
      role="group"
      aria-label={`Step ${count(moment)}`}
      className={`flex flex-wrap items-center gap-1 text-xs tabular-nums ${className}`}
    >
      <span className="mr-1 font-medium">Step {count(moment)}</span>
      {onWatch && (
        <Button
          size="sm"
          variant="quiet"
          onClick={onWatch}
          icon={<MonitorPlay aria-hidden className="size-3.5" />}
        >
          Watch policy
        </Button>
      )}
      <Button
        size="sm"
        variant="quiet"
        needsService
        unavailable={whyNotForkAtStep(run)}
        onClick={() => setForkedAt(step)}
        icon={<GitFork aria-hidden className="size-3.5" />}
      >
        Fork here…
      </Button>
      <CurveMenuButton run={run} group={group} />
      <Button
        size="sm"
        variant="quiet"
        aria-label="Clear the chosen step"
        title="Clear the chosen step"
        onClick={() => group.moment.set(null)}
        icon={<X aria-hidden className="size-3.5" />}
      />
      {forkedAt !== null && <ForkAt run={run} at={forkedAt} onClose={() => setForkedAt(null)} />}
    </div>
  );
}
