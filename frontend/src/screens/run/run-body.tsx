"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { type ComponentType, type ReactNode, useCallback, useMemo, useState } from "react";
import { createPortal } from "react-dom";
import { algorithmsQuery } from "@/api/choices";
import { learns } from "@/api/run-availability";
import { Q_TABLE } from "@/api/run-record";
import type { RunDetail } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import {
  type ChartGroup,
  useChartGroup,
  useMomentAddress,
  usePicking,
  useZoomDetail,
} from "@/charts/chart-group";
import { useChartSettings } from "@/charts/chart-settings";
import type { ChartAxis } from "@/charts/plot-options";
import { chooseAgentView } from "@/lib/agent-view";
import { useMediaQuery } from "@/lib/media";
import type { RunSeries } from "@/stream/series/run-series";
import { useRunCurves } from "@/stream/series/use-run-curves";
import { Boundary } from "@/ui/boundary";
import { Disclosure } from "@/ui/disclosure";
import { Skeleton } from "@/ui/progress";
import { useHighlight, useStepScale } from "./curves/highlight";
import { LearningCurves } from "./curves/learning-curves";
import { RunDetails } from "./details/run-details";
import { FamilyCard } from "./family-card";
import { usePresetGhost } from "./preset-ghost";
import { RunFacts } from "./run-facts";
import { RunHints, type TryProps } from "./run-hints";
import { AGENT_ANCHOR } from "./run-view";
import { SeedsCard, useSeedBand, useSeeds } from "./seeds-card";

interface RunBodyProps {
  run: RunDetail;
  parts: RunParts;
}

/** Parts from other features, which the page passes in. */
export interface RunParts {
  /** The agent: live, at a step of its training, or in the video of an evaluation. */
  Agent: ComponentType<{ run: RunDetail; group: ChartGroup }>;
  /** The filmstrip below the curve of the return. */
  Strip: ComponentType<{
    run: RunDetail;
    group: ChartGroup;
    axis: ChartAxis;
    onChosen: () => void;
  }>;
  /** The hyperparameters that can be adjusted, while the run trains. */
  Knobs: ComponentType<{ run: RunDetail; series: RunSeries }>;
  /** Forks the run with a change that a hint suggests. */
  Try: ComponentType<TryProps>;
  /** The snapshots of the run, among its details. */
  Snapshots: ComponentType<{ run: RunDetail }>;
  /** What the run does by itself, among its details. */
  Rules: ComponentType<{ run: RunDetail }>;
  /** The other programs that the run is delivered to, among its details and in its menu. */
  Sinks: ComponentType<{ run: RunDetail }>;
  /** At which detail the run is recorded, and what it recorded itself, among its details. */
  Recording: ComponentType<{ run: RunDetail }>;
}

/** From this width on the agent stands beside the curves, and below the curve of the return on narrower screens. */
const BESIDE = "(min-width: 80rem)";

/** The newest figures; below them curves on one side, what the policy does and what the curves suggest on the other. */
export function RunBody({
  run,
  parts: { Agent, Strip, Knobs, Snapshots, Rules, Sinks, Recording, Try },
}: RunBodyProps) {
  const group = useChartGroup();
  const [settings, changeView] = useChartSettings(group);
  const { axis, smoothing } = settings;
  const { pool, curves } = useRunCurves([run], { axis, smoothing });
  useZoomDetail(group, pool);
  const [highlight, point] = useHighlight();
  const seeds = useSeeds(run);
  const [band, setBand] = useState(false);
  const seedBand = useSeedBand(seeds, axis, band);
  const ghost = usePresetGhost(run, axis);
  const behind = useMemo(() => [...seedBand, ...ghost.series], [seedBand, ghost.series]);
  const beside = useMediaQuery(BESIDE);
  usePicking(group, learns(run) ? showMoment : null, useStepScale(run, axis));
  useMomentAddress(group);
  const [agent, agentPlace] = useMovable(
    <div id={AGENT_ANCHOR} className="min-w-0 scroll-mt-18">
      <Boundary what="The agent">
        <Agent run={run} group={group} />
      </Boundary>
    </div>,
  );
  return (
    <>
      <RunFacts run={run} series={curves(run.id).series} />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_25rem] xl:grid-rows-[auto_1fr]">
        {agent}
        <LearningCurves
          run={run}
          curves={curves(run.id)}
          settings={settings}
          behind={behind}
          note={ghost.sentence}
          onSettings={changeView}
          group={group}
          highlight={highlight}
          under={
            learns(run)
              ? (axis) => <Strip {...{ run, group, axis }} onChosen={showMoment} />
              : undefined
          }
          below={beside ? undefined : agentPlace}
        />
        <div className="flex min-w-0 flex-col gap-4 xl:row-span-2">
          {beside && agentPlace}
          <QTableSlot run={run} />
          {learns(run) && trains(run) && <Knobs run={run} series={curves(run.id).series} />}
          {seeds && <SeedsCard own={run.id} seeds={seeds} band={band} onBand={setBand} />}
          {learns(run) && <FamilyCard run={run} />}
          {learns(run) && (
            <RunHints
              run={run}
              Try={Try}
              shown={highlight}
              onShow={(hint) => {
                changeView({ axis: "step" });
                group.reset();
                point(hint);
              }}
            />
          )}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {learns(run) && <AnatomySection run={run} />}
          <RunDetails {...{ run, Snapshots, Rules, Sinks, Recording }} />
        </div>
      </div>
    </>
  );
}

/** Whether hyperparameters can be changed now. */
function trains({ status }: RunDetail): boolean {
  return status === "starting" || status === "running";
}

function showMoment() {
  chooseAgentView("moment");
}

/**
 * A part of a page that may move from one place to another and keeps its state, a session for instance: it is always
 * drawn at the same place of the React tree, into an element that is carried to where
 * `place` stands, of which one at most may be on the page.
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

/** None while the page is exported: the part is drawn in the browser alone. */
function makeHost(): HTMLElement | null {
  if (typeof document === "undefined") return null;
  const host = document.createElement("div");
  host.className = "contents";
  return host;
}

const AnatomyPanel = dynamic(
  withRetry(() => import("./anatomy/anatomy-panel").then((module) => module.AnatomyPanel)),
  {
    loading: () => <Skeleton className="h-40" />,
  },
);

/** The anatomy of updates, loaded when the section is opened. */
function AnatomySection({ run }: { run: RunDetail }) {
  const [open, setOpen] = useState(false);
  return (
    <Disclosure
      open={open}
      onToggle={setOpen}
      summary="Inside the updates"
      className="rounded-lg border border-line bg-surface px-4 py-1.5 shadow-card"
    >
      {open && (
        <div className="pt-2 pb-2.5">
          <AnatomyPanel run={run} />
        </div>
      )}
    </Disclosure>
  );
}

const QTableCard = dynamic(
  withRetry(() => import("./q-table/q-table-card").then((module) => module.QTableCard)),
);

/** The Q-table of a run whose algorithm writes one down; nothing for others. */
function QTableSlot({ run }: { run: RunDetail }) {
  const { data: algorithms } = useQuery(algorithmsQuery);
  const algorithm = algorithms?.find(({ id }) => id === run.algo);
  return algorithm?.artifacts.includes(Q_TABLE) ? <QTableCard run={run} /> : null;
}
