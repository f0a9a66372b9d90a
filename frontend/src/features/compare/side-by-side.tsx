"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { Segmented } from "@/components/ui/segmented";
import type { Comparison, Run } from "@/lib/api";
import type { SeriesStyles } from "./series-styles";
import { Videos } from "./videos";

const LiveRuns = dynamic(() => import("./live-runs").then((module) => module.LiveRuns), {
  ssr: false,
});

const SameMoment = dynamic(() => import("./same-moment").then((module) => module.SameMoment), {
  ssr: false,
});

interface SideBySideProps {
  runs: readonly Run[];
  seriesStyles: SeriesStyles;
  /** Finds the step at which a run reached a return. */
  comparison: Comparison;
}

/** The policies of the compared runs side by side: on video, live, or at the same moment of training. */
export function SideBySide({ comparison, ...props }: SideBySideProps) {
  const [view, setView] = useState<"videos" | "live" | "moment">("videos");
  const aside = (
    <Segmented
      legend="How policies are shown"
      options={[
        { value: "videos", label: "Videos" },
        { value: "live", label: "Live" },
        { value: "moment", label: "Same step" },
      ]}
      value={view}
      onChange={setView}
    />
  );
  if (view === "live") return <LiveRuns {...props} aside={aside} />;
  if (view === "moment") return <SameMoment {...props} comparison={comparison} aside={aside} />;
  return <Videos {...props} aside={aside} />;
}
