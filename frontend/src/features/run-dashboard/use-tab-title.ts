"use client";

import { useEffect } from "react";
import { isActive, progress, type Run } from "@/lib/api";
import { percent } from "@/lib/format";

/** `34% PPO on CartPole · RL Gym Visualizer`: a run is watched from another tab, too. */
export function tabTitle(run: Run): string {
  return `${share(run)}${run.name} · RL Gym Visualizer`;
}

function share(run: Run): string {
  if (run.status === "starting") return "Starting… ";
  return isActive(run) ? `${percent(progress(run))} ` : "";
}

export function useTabTitle(run: Run | undefined) {
  const title = run && tabTitle(run);
  // External system: the browser's tab.
  useEffect(() => {
    if (title === undefined) return;
    const before = document.title;
    document.title = title;
    return () => {
      // The next page may have named itself already.
      if (document.title === title) document.title = before;
    };
  }, [title]);
}
