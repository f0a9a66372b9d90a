"use client";

import { useEffect } from "react";
import { isActive, progress, type Run } from "@/lib/api";
import { percent } from "@/lib/format";

/**
 * Sets the tab's title, for instance `34% PPO on CartPole · RL Gym Visualizer`, so that a run can be watched
 * from another tab.
 */
export function tabTitle(run: Run): string {
  return `${share(run)}${run.name} · RL Gym Visualizer`;
}

function share(run: Run): string {
  if (run.status === "starting") return "Starting… ";
  return isActive(run) ? `${percent(progress(run))} ` : "";
}

export function useTabTitle(run: Run | undefined) {
  const title = run && tabTitle(run);
  // External system: the title of the document.
  useEffect(() => {
    if (title === undefined) return;
    const before = document.title;
    document.title = title;
    return () => {
      // The next page may have set its own title already.
      if (document.title === title) document.title = before;
    };
  }, [title]);
}
