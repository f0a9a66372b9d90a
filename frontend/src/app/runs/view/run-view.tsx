"use client";

import { EvaluationCard } from "@/features/playback";
import { RunDashboard, RunNotFound } from "@/features/run-dashboard";
import { isRunId, useQueryString } from "@/lib/url";

/** An export knows no ids when it is built: the run comes from the address. */
export function RunView() {
  const [query] = useQueryString();
  const id = query.get("id") || null;
  if (id === null || !isRunId(id)) return <RunNotFound id={id} />;
  return <RunDashboard key={id} id={id} playback={(run) => <EvaluationCard run={run} />} />;
}
