"use client";

import { RunDashboard, RunNotFound } from "@/features/run-dashboard";
import { Agent } from "./agent";
import { isRunId, useQueryString } from "@/lib/url";

/** An export knows no ids when it is built: the run comes from the address. */
export function RunView() {
  const [query] = useQueryString();
  const id = query.get("id") || null;
  if (id === null || !isRunId(id)) return <RunNotFound id={id} />;
  return <RunDashboard key={id} id={id} playback={(run) => <Agent run={run} />} />;
}
