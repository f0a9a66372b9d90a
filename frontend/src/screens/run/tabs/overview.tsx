"use client";

import { lazy, type ReactNode, Suspense } from "react";
import { countsVisits } from "@/api/exploration";
import { learns } from "@/api/run-availability";
import { isActive } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { useMediaQuery } from "@/lib/media";
import { chooseAgentView, useAgentView } from "@/lib/agent-view";
import { useHighlight } from "../curves/highlight";
import { ReturnChart } from "../curves/chart-grid";
import { type RunCharts, useBackdrop } from "../curves/shared-chart-state";
import { FamilyCard } from "../family-card";
import { Filmstrip } from "../film/filmstrip";
import { RunFacts } from "../run-facts";
import { RunHints } from "../run-hints";
import { SeedsCard } from "../seeds-card";
import { MomentBar } from "../snapshots/fork-at";
import { AGENT_ANCHOR, scrollIfAwaited } from "./tab-address";

interface OverviewProps {
  run: RunDetail;
  charts: RunCharts;
  /** The position of the agent. */
  agent: ReactNode;
}

const FilmMap = lazy(
  withRetry(async () => ({ default: (await import("../map/film-map")).FilmMap })),
);

/** From this width on, the agent is beside the curve; on narrower screens it is below. */
const BESIDE = "(min-width: 80rem)";

/** How the run does: four figures, the curve of the return with the film, the agent, and what the curves suggest. */
export function Overview({ run, charts, agent }: OverviewProps) {
  const { group, changeSettings, curves, band, showBand } = charts;
  const [highlight, point] = useHighlight();
  const backdrop = useBackdrop(run, charts);
  const beside = useMediaQuery(BESIDE);
  const chosenView = useAgentView();
  const { seeds } = backdrop;
  const learning = learns(run);
  const agentPlace = (
    <div id={AGENT_ANCHOR} ref={scrollIfAwaited} className="min-w-0 scroll-mt-28">
      {agent}
    </div>
  );
  const relatives = (
    <>
      {seeds && <SeedsCard own={run.id} seeds={seeds} band={band} onBand={showBand} />}
      {learning && <FamilyCard run={run} />}
    </>
  );
  // What the agent does stands below its picture while it plays live, so that its column is the longer one.
  const besideAgent = beside && !isActive(run) && chosenView !== "live" && chosenView !== "moment";
  const showMoment = () => chooseAgentView("moment");
  return (
    <div className="flex flex-col gap-4">
      <RunFacts run={run} series={curves.series} />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_25rem]">
        <div className="@container flex min-w-0 flex-col gap-4">
          <ReturnChart
            {...{ run, charts, backdrop, highlight }}
            under={
              learning
                ? (axis) => (
                    <>
                      <Filmstrip {...{ run, group, axis }} onChosen={showMoment} />
                      {chosenView !== "moment" && (
                        <MomentBar
                          run={run}
                          group={group}
                          onWatch={showMoment}
                          className="px-1 pt-1"
                        />
                      )}
                      {countsVisits(run.config?.exploration) && (
                        <Suspense fallback={null}>
                          <FilmMap run={run} group={group} />
                        </Suspense>
                      )}
                    </>
                  )
                : undefined
            }
          />
          {!beside && agentPlace}
          <div className="grid items-start gap-4 empty:hidden @3xl:grid-cols-2 @3xl:*:only:col-span-2">
            {learning && (
              <RunHints
                run={run}
                shown={highlight}
                onShow={(hint) => {
                  changeSettings({ axis: "step" });
                  group.reset();
                  point(hint);
                }}
              />
            )}
            {!besideAgent && relatives}
          </div>
        </div>
        {beside && (
          <div className="flex min-w-0 flex-col gap-4">
            {agentPlace}
            {besideAgent && relatives}
          </div>
        )}
      </div>
    </div>
  );
}
