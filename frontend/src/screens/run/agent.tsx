"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { isUnderWay } from "@/api/evaluate";
import { evaluationsQuery } from "@/api/evaluations";
import { learns } from "@/api/run-availability";
import { isActive } from "@/api/runs";
import type { Evaluation, RunDetail } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import type { ChartGroup } from "@/charts/chart-group";
import { type AgentViewName, chooseAgentView, useAgentStart, useAgentView } from "@/lib/agent-view";
import { AgentViews } from "@/player/agent/views";
import { Skeleton } from "@/ui/progress";
import { EvaluationClip } from "./playback/evaluation-view";
import { ForkAt } from "./snapshots/fork-at";

/** About as high as what follows, so that the page does not move below the user. */
const loading = () => <Skeleton className="m-4 h-160" />;

const LiveWindow = dynamic(
  withRetry(() => import("./live/live-window").then((module) => module.LiveWindow)),
  { ssr: false, loading },
);
const MomentView = dynamic(
  withRetry(() => import("./film/moment-view").then((module) => module.MomentView)),
  { ssr: false, loading },
);

interface AgentProps {
  run: RunDetail;
  group: ChartGroup;
}

/** Shows the agent of a run: live in a session, at a moment of its training, or in the video of an evaluation. */
export function Agent({ run, group }: AgentProps) {
  const { data: evaluations } = useQuery(evaluationsQuery(run.id));
  const chosen = useAgentView();
  const start = useAgentStart();
  const usual = useUsualView(run, evaluations);
  const shown = chosen ?? usual;
  const news = useNews(evaluations, shown);
  if (!learns(run)) {
    const label =
      run.actor === "human" ? "Played" : run.actor === "foreign" ? "Videos" : "Evaluation";
    return (
      <AgentViews views={[{ name: "video", label }]} shown="video" onChoose={chooseAgentView}>
        <EvaluationClip run={run} />
      </AgentViews>
    );
  }
  return (
    <AgentViews
      views={[
        { name: "live", label: "Live" },
        { name: "moment", label: "Moment" },
        { name: "video", label: "Evaluation", news },
      ]}
      shown={shown}
      onChoose={chooseAgentView}
    >
      {shown === "live" ? (
        <LiveWindow
          key={start ? `${start.cell} ${start.step}` : "start"}
          run={run}
          chosen={chosen === "live"}
          start={start}
        />
      ) : shown === "moment" ? (
        <MomentView run={run} group={group} onLeave={() => chooseAgentView(null)} Fork={ForkAt} />
      ) : (
        <EvaluationClip run={run} />
      )}
    </AgentViews>
  );
}

/**
 * The view before the user chooses one: live while the run trains; an evaluation if one is running or the run has
 * ended. It is decided once, when the page opens, so that the view does not change later.
 */
function useUsualView(run: RunDetail, evaluations: Evaluation[] | undefined): AgentViewName {
  const [usual, setUsual] = useState<AgentViewName | null>(null);
  if (usual !== null) return usual;
  const ended = !isActive(run);
  if (!evaluations) return ended ? "video" : "live";
  const toSee = evaluations.some(isUnderWay) || (ended && evaluations.length > 0);
  const decided = toSee ? "video" : "live";
  setUsual(decided);
  return decided;
}

/** Whether an evaluation was started while another view was shown. */
function useNews(evaluations: Evaluation[] | undefined, shown: AgentViewName): string | null {
  const newest = evaluations && (evaluations[0]?.id ?? "");
  const [seen, setSeen] = useState(newest);
  const sees = seen === undefined || shown === "video";
  if (sees && newest !== seen) setSeen(newest);
  return sees || newest === seen ? null : "new";
}
