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

const AtTheSame = dynamic(() => import("./at-the-same").then((module) => module.AtTheSame), {
  ssr: false,
});

interface SideBySideProps {
  runs: readonly Run[];
  seriesStyles: SeriesStyles;
  /** Knows at which step a run reached a return. */
  comparison: Comparison;
}

/** The policies of the compared runs: on video, live, or as they were at the same moment of training. */
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
  if (view === "moment") return <AtTheSame {...props} comparison={comparison} aside={aside} />;
  return <Videos {...props} aside={aside} />;
}
