"use client";

import { PlayChoices, PlayEnvironment, PlayRun } from "@/features/play";
import { isRunId, useQueryString } from "@/lib/url";

/** An export knows no environments and runs when it is built: they come from the address. */
export function PlayView() {
  const [query] = useQueryString();
  const run = query.get("run");
  const env = query.get("env");
  if (run && isRunId(run)) return <PlayRun key={run} id={run} />;
  if (env) return <PlayEnvironment key={env} id={env} />;
  return <PlayChoices />;
}
