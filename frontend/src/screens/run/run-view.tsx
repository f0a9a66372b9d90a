"use client";

import dynamic from "next/dynamic";
import { withRetry } from "@/api/with-retry";
import { useQueryString } from "@/lib/query-string";
import { isRunId } from "@/lib/routes";
import { Skeleton } from "@/ui/progress";
import { Agent } from "./agent";
import { Filmstrip } from "./film/filmstrip";
import { RunDashboard, RunNotFound } from "./run-dashboard";

const Snapshots = dynamic(
  withRetry(() => import("./snapshots/snapshots-panel").then((module) => module.SnapshotsPanel)),
  { loading: () => <Skeleton className="m-4 h-40" /> },
);
const Knobs = dynamic(
  withRetry(() => import("./rules/knobs-card").then((module) => module.KnobsCard)),
  {
    ssr: false,
  },
);
const Rules = dynamic(
  withRetry(() => import("./rules/rules-panel").then((module) => module.RulesPanel)),
  {
    loading: () => <Skeleton className="m-4 h-40" />,
  },
);
const Sinks = dynamic(
  withRetry(() => import("./sinks/sinks-panel").then((module) => module.SinksPanel)),
  {
    loading: () => <Skeleton className="m-4 h-40" />,
  },
);

const Try = dynamic(
  withRetry(() => import("./snapshots/try-change").then((module) => module.TryChange)),
  {
    ssr: false,
  },
);

const Recording = dynamic(
  withRetry(() => import("./playback/recording-panel").then((module) => module.RecordingPanel)),
  { loading: () => <Skeleton className="m-4 h-40" /> },
);

const PARTS = { Agent, Strip: Filmstrip, Knobs, Snapshots, Rules, Sinks, Recording, Try };

/** The page is exported statically, so it reads the run's id from the query string. */
export function RunView() {
  const [query] = useQueryString();
  const id = query.get("id") || null;
  if (id === null || !isRunId(id)) return <RunNotFound id={id} />;
  return <RunDashboard key={id} id={id} parts={PARTS} />;
}

/** Where the page shows the agent of a run. */
export const AGENT_ANCHOR = "agent";
