"use client";

import { useQueryString } from "@/lib/query-string";
import { isRunId } from "@/lib/routes";
import { RunDashboard, RunNotFound } from "./run-dashboard";

/** The page is exported statically, so it reads the run's id from the query string. */
export function RunView() {
  const [query] = useQueryString();
  const id = query.get("id") || null;
  if (id === null || !isRunId(id)) return <RunNotFound id={id} />;
  return <RunDashboard key={id} id={id} />;
}
