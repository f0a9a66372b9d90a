"use client";

import { PlayChoices } from "@/features/play/play-choices";
import { PlayEnvironment } from "@/features/play/play-environment";
import { PlayRun } from "@/features/play/play-run";
import { useQueryString } from "@/lib/query-string";
import { isRunId } from "@/lib/routes";

/** The page is exported statically, so it reads what to play from the query string. */
export function PlayView() {
  const [query] = useQueryString();
  const run = query.get("run");
  const env = query.get("env");
  if (run && isRunId(run)) return <PlayRun key={run} id={run} />;
  if (env) return <PlayEnvironment key={env} id={env} />;
  return <PlayChoices />;
}
