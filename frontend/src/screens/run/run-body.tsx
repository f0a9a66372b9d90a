"use client";

import { type ComponentType, lazy, type ReactNode, Suspense, useCallback, useState } from "react";
import { createPortal } from "react-dom";
import { useQuery } from "@tanstack/react-query";
import { evaluationsQuery } from "@/api/evaluations";
import { learns } from "@/api/run-availability";
import { runSinksQuery } from "@/api/sinks";
import type { RunDetail } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { usePicking } from "@/charts/chart-group";
import { chooseAgentView } from "@/lib/agent-view";
import { ReturnToStage } from "@/player/agent/stage";
import { Badge } from "@/ui/badge";
import { Boundary } from "@/ui/boundary";
import { Skeleton } from "@/ui/progress";
import { useStepScale } from "./curves/highlight";
import { type RunCharts, useRunCharts } from "./curves/shared-chart-state";
import { CurveMenu } from "./snapshots/curve-menu";
import { Overview } from "./tabs/overview";
import {
  AGENT_ANCHOR,
  openTab,
  type RunTab,
  scrollToAnchor,
  tabsOf,
  useRunTab,
} from "./tabs/tab-address";
import { RunTabBar } from "./tabs/tab-bar";

/** What a tab of the run page is drawn from. */
export interface RunTabProps {
  run: RunDetail;
  charts: RunCharts;
}

const loaders = {
  charts: withRetry(async () => ({ default: (await import("./tabs/charts-tab")).ChartsTab })),
  episodes: withRetry(async () => ({ default: (await import("./tabs/episodes-tab")).EpisodesTab })),
  inside: withRetry(async () => ({ default: (await import("./tabs/inside-tab")).InsideTab })),
  control: withRetry(async () => ({ default: (await import("./tabs/control-tab")).ControlTab })),
  data: withRetry(async () => ({ default: (await import("./details/run-details")).DataTab })),
} satisfies Partial<Record<RunTab, () => Promise<{ default: ComponentType<RunTabProps> }>>>;
const loadAgent = withRetry(async () => ({ default: (await import("./agent")).Agent }));

/** The code of each tab but the first is loaded with the tab. */
const TABS = {
  charts: lazy(loaders.charts),
  episodes: lazy(loaders.episodes),
  inside: lazy(loaders.inside),
  control: lazy(loaders.control),
  data: lazy(loaders.data),
};
const Agent = lazy(loadAgent);

/** Loads the code of a tab before it is opened. A failure has no effect until then. */
export function preloadTab(tab: RunTab) {
  void (tab === "overview" ? loadAgent : loaders[tab])().catch(() => {});
}

/**
 * The tabs of a run page. The agent belongs to the overview. It continues to play, docked, while other tabs are open,
 * except for the tab with its own player.
 */
export function RunBody({ run }: { run: RunDetail }) {
  const tab = useRunTab(run);
  const charts = useRunCharts(run);
  const { group, settings } = charts;
  const onOverview = tab === "overview";
  usePicking(
    group,
    learns(run) ? (onOverview ? showMoment : stay) : null,
    useStepScale(run, settings.axis),
  );
  const badges = useBadges(run, tab);
  const [agentUsed, setAgentUsed] = useState(onOverview);
  const needsAgent = onOverview || (agentUsed && tab !== "episodes");
  if (agentUsed !== needsAgent) setAgentUsed(needsAgent);
  const [agent, agentPlace] = useMovable(
    needsAgent ? (
      <Boundary what="The agent">
        <Suspense fallback={<Skeleton className="h-96 rounded-lg" />}>
          <ReturnToStage value={showAgent}>
            <Agent run={run} group={group} />
          </ReturnToStage>
        </Suspense>
      </Boundary>
    ) : null,
  );
  const Tab = tab === "overview" ? null : TABS[tab];
  return (
    <div>
      {agent}
      {learns(run) && <CurveMenu run={run} group={group} />}
      <RunTabBar
        tabs={tabsOf(run).map((entry) => ({ ...entry, badge: badges[entry.value] }))}
        open={tab}
        onNear={preloadTab}
      >
        {Tab ? (
          <Boundary key={tab} what="This tab">
            <Suspense fallback={<Skeleton className="h-96 rounded-lg" />}>
              <Tab run={run} charts={charts} />
            </Suspense>
          </Boundary>
        ) : (
          <Overview run={run} charts={charts} agent={agentPlace} />
        )}
      </RunTabBar>
      {/* Only what is docked is seen of it. */}
      {!onOverview && needsAgent && (
        <div className="invisible absolute h-0 w-40 overflow-hidden">{agentPlace}</div>
      )}
    </div>
  );
}

/** Shows the agent in its place. */
function showAgent() {
  openTab("overview");
  scrollToAnchor(AGENT_ANCHOR);
}

function showMoment() {
  chooseAgentView("moment");
}

/** Opens no other tab: a step that is chosen on another tab is marked there, with its actions. */
function stay() {}

/** News of closed tabs: a new evaluation, warnings, and failing deliveries. */
function useBadges(run: RunDetail, open: RunTab): Partial<Record<RunTab, ReactNode>> {
  const { data: evaluations } = useQuery(evaluationsQuery(run.id));
  const { data: delivered } = useQuery(runSinksQuery(run.id));
  const newest = evaluations && (evaluations[0]?.id ?? "");
  const [seen, setSeen] = useState(newest);
  const sees = seen === undefined || open === "episodes";
  if (sees && newest !== seen) setSeen(newest);
  const failing = delivered?.sinks.filter(({ state }) => state === "failing").length ?? 0;
  const problems = run.warnings + (run.status === "failed" ? 1 : 0);
  return {
    episodes: !sees && newest !== seen && <Badge>new</Badge>,
    data:
      failing > 0 ? (
        <Badge tone="bad">{failing}</Badge>
      ) : (
        problems > 0 && <Badge tone="warn">{problems}</Badge>
      ),
  };
}

/**
 * A part of a page that can move to another place and keeps its state, for instance a session. It is always rendered at
 * the same place of the React tree, into an element that is moved to the visible `place`. At most one `place` may be on
 * the page.
 */
export function useMovable(part: ReactNode): [drawn: ReactNode, place: ReactNode] {
  const [host] = useState(makeHost);
  const attach = useCallback(
    (place: HTMLElement | null) => {
      if (host && place) place.append(host);
    },
    [host],
  );
  return [host && createPortal(part, host), <div key="place" ref={attach} className="contents" />];
}

/** Null during the static export: the part is rendered only in the browser. */
function makeHost(): HTMLElement | null {
  if (typeof document === "undefined") return null;
  const host = document.createElement("div");
  host.className = "contents";
  return host;
}
