"use client";

import dynamic from "next/dynamic";
import { Skeleton } from "@/components/ui/skeleton";
import { Filmstrip } from "@/features/filmstrip";
import { RunDashboard, RunNotFound } from "@/features/run-dashboard";
import { withRetry } from "@/lib/service";
import { isRunId, useQueryString } from "@/lib/url";
import { Agent } from "./agent";

const Snapshots = dynamic(
  withRetry(() => import("@/features/snapshots").then((module) => module.SnapshotsPanel)),
  { loading: () => <Skeleton className="m-4 h-40" /> },
);
const Knobs = dynamic(
  withRetry(() => import("@/features/rules").then((module) => module.KnobsCard)),
  {
    ssr: false,
  },
);
const Rules = dynamic(
  withRetry(() => import("@/features/rules").then((module) => module.RulesPanel)),
  {
    loading: () => <Skeleton className="m-4 h-40" />,
  },
);
const Sinks = dynamic(
  withRetry(() => import("@/features/sinks").then((module) => module.SinksPanel)),
  {
    loading: () => <Skeleton className="m-4 h-40" />,
  },
);

const Try = dynamic(
  withRetry(() => import("@/features/snapshots").then((module) => module.TryChange)),
  {
    ssr: false,
  },
);

const Recording = dynamic(
  withRetry(() => import("@/features/playback").then((module) => module.RecordingPanel)),
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
