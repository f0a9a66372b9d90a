"use client";

import dynamic from "next/dynamic";
import { withRetry } from "@/api/with-retry";
import { Filmstrip } from "@/features/filmstrip/filmstrip";
import { RunDashboard } from "@/features/run-dashboard/run-dashboard";
import { RunNotFound } from "@/features/run-dashboard/run-not-found";
import { useQueryString } from "@/lib/query-string";
import { isRunId } from "@/lib/routes";
import { Skeleton } from "@/ui/progress";
import { Agent } from "./agent";

const Snapshots = dynamic(
  withRetry(() => import("@/features/snapshots/snapshots-panel").then((module) => module.SnapshotsPanel)),
  { loading: () => <Skeleton className="m-4 h-40" /> },
);
const Knobs = dynamic(
  withRetry(() => import("@/features/rules/knobs/knobs-card").then((module) => module.KnobsCard)),
  {
    ssr: false,
  },
);
const Rules = dynamic(
  withRetry(() => import("@/features/rules/editor/rules-panel").then((module) => module.RulesPanel)),
  {
    loading: () => <Skeleton className="m-4 h-40" />,
  },
);
const Sinks = dynamic(
  withRetry(() => import("@/features/sinks/sinks-panel").then((module) => module.SinksPanel)),
  {
    loading: () => <Skeleton className="m-4 h-40" />,
  },
);

const Try = dynamic(
  withRetry(() => import("@/features/snapshots/try-change").then((module) => module.TryChange)),
  {
    ssr: false,
  },
);

const Recording = dynamic(
  withRetry(() => import("@/features/playback/recording/recording-panel").then((module) => module.RecordingPanel)),
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
