"use client";

import type { RunDetail } from "@/api/types";
import { useQueryString } from "@/lib/query-string";
import { Card } from "@/ui/card";
import { KnobsCard } from "../rules/knobs-card";
import { RulesPanel } from "../rules/rules-panel";
import type { RunTabProps } from "../run-body";
import { SnapshotsPanel } from "../snapshots/snapshots-panel";

/** The controls of a run: hyperparameters during training, snapshots with fork and rollback, and rules. */
export function ControlTab({ run, charts }: RunTabProps) {
  const [query] = useQueryString();
  const asked = query.get("details");
  /** An old address names one of the parts. */
  const seek = (part: string) => (element: HTMLElement | null) => {
    if (asked === part) element?.scrollIntoView({ block: "nearest" });
  };
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
      <div className="flex min-w-0 flex-col gap-4">
        <Card title="Snapshots" bodyClass="" className="scroll-mt-28">
          <SnapshotsPanel run={run} />
        </Card>
        <Card title="Rules" bodyClass="" className="scroll-mt-28" ref={seek("rules")}>
          <RulesPanel run={run} />
        </Card>
      </div>
      {trains(run) ? (
        <KnobsCard run={run} series={charts.curves.series} />
      ) : (
        <Card title="Live hyperparameters">
          <p className="text-sm text-ink-soft">
            Learning rate, clip range and others can be changed here while the run trains. To train
            with other settings from an earlier point, fork the run at a snapshot.
          </p>
        </Card>
      )}
    </div>
  );
}

/** Whether hyperparameters can be changed now. */
function trains({ status }: RunDetail): boolean {
  return status === "starting" || status === "running";
}
