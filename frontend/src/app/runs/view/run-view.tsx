"use client";

import dynamic from "next/dynamic";
import { Filmstrip } from "@/features/filmstrip";
import { RunDashboard, RunNotFound } from "@/features/run-dashboard";
import { Agent } from "./agent";
import { isRunId, useQueryString } from "@/lib/url";

const MomentPlayer = dynamic(
  () => import("@/features/filmstrip/moment-player").then((module) => module.MomentPlayer),
  { ssr: false },
);
const FILM = { Strip: Filmstrip, Player: MomentPlayer };

/** An export knows no ids when it is built: the run comes from the address. */
export function RunView() {
  const [query] = useQueryString();
  const id = query.get("id") || null;
  if (id === null || !isRunId(id)) return <RunNotFound id={id} />;
  return <RunDashboard key={id} id={id} playback={(run) => <Agent run={run} />} film={FILM} />;
}
