"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { AgentViews } from "@/features/live-window";
import { EvaluationCard } from "@/features/playback";
import { evaluationsQuery, isActive, type RunDetail } from "@/lib/api";
import { isUnderWay } from "@/lib/evaluations";

const LiveWindow = dynamic(
  () => import("@/features/live-window/live-window").then((module) => module.LiveWindow),
  { ssr: false },
);

/** Where the agent of a run is seen: live, or on the video of an evaluation. */
export function Agent({ run }: { run: RunDetail }) {
  const { data: evaluations } = useQuery(evaluationsQuery(run.id));
  const underWay = evaluations?.some(isUnderWay) ?? false;
  const toSee = underWay || (!isActive(run) && evaluations?.length !== 0);
  return (
    <AgentViews
      usual={toSee ? "evaluation" : "live"}
      views={[
        {
          name: "live",
          label: "Live",
          show: (choice) => <LiveWindow run={run} aside={choice} />,
        },
        {
          name: "evaluation",
          label: "Evaluation",
          show: (choice) => <EvaluationCard run={run} aside={choice} />,
        },
      ]}
    />
  );
}
