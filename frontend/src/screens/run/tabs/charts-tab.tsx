"use client";

import { learns } from "@/api/run-availability";
import { chooseAgentView } from "@/lib/agent-view";
import { useHighlight } from "../curves/highlight";
import { AllCharts } from "../curves/chart-grid";
import { useBackdrop } from "../curves/shared-chart-state";
import type { RunTabProps } from "../run-body";
import { MomentBar } from "../snapshots/fork-at";
import { AGENT_ANCHOR, openTab, scrollToAnchor } from "./tab-address";

/** All metrics of a run. */
export function ChartsTab({ run, charts }: RunTabProps) {
  const [highlight] = useHighlight();
  const backdrop = useBackdrop(run, charts);
  const watch = () => {
    openTab("overview");
    chooseAgentView("moment");
    scrollToAnchor(AGENT_ANCHOR);
  };
  return (
    <>
      <AllCharts {...{ run, charts, backdrop, highlight }} />
      {learns(run) && (
        <MomentBar
          run={run}
          group={charts.group}
          onWatch={watch}
          className="sticky bottom-3 z-10 mx-auto mt-4 w-fit rounded-lg border border-line-strong bg-raised px-3 py-1.5 shadow-float max-md:bottom-18"
        />
      )}
    </>
  );
}
