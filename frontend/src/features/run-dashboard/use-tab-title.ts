"use client";

import { isActive, progress } from "@/api/runs";
import type { Run } from "@/api/types";
import { percent } from "@/lib/number";
import { useDocumentTitle } from "@/shell/page-header";

/** How far a run is, and its name: `34% PPO on CartPole`, so that it can be watched from another tab. */
export function tabTitle(run: Run): string {
  return `${share(run)}${run.name}`;
}

function share(run: Run): string {
  if (run.status === "starting") return "Starting… ";
  return isActive(run) ? `${percent(progress(run))} ` : "";
}

export function useTabTitle(run: Run | undefined) {
  useDocumentTitle(run && tabTitle(run));
}
