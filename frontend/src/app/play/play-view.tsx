"use client";

import { PlayChoices, PlayEnvironment, PlayRun } from "@/features/play";
import { isRunId, useQueryString } from "@/lib/url";

/** The page is exported statically, so it reads what to play from the query string. */
export function PlayView() {
  const [query] = useQueryString();
  const run = query.get("run");
  const env = query.get("env");
  if (run && isRunId(run)) return <PlayRun key={run} id={run} />;
  if (env) return <PlayEnvironment key={env} id={env} />;
  return <PlayChoices />;
}
