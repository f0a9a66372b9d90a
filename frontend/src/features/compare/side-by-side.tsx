"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { Segmented } from "@/components/ui/segmented";
import type { Run } from "@/lib/api";
import type { SeriesStyles } from "./series-styles";
import { Videos } from "./videos";

const LiveRuns = dynamic(() => import("./live-runs").then((module) => module.LiveRuns), {
  ssr: false,
});

interface SideBySideProps {
  runs: readonly Run[];
  seriesStyles: SeriesStyles;
}

/** The policies of the compared runs: on video, or live. */
export function SideBySide(props: SideBySideProps) {
  const [view, setView] = useState<"videos" | "live">("videos");
  const choice = (
    <Segmented
      legend="How policies are shown"
      options={[
        { value: "videos", label: "Videos" },
        { value: "live", label: "Live" },
      ]}
      value={view}
      onChange={setView}
    />
  );
  return view === "live" ? (
    <LiveRuns {...props} aside={choice} />
  ) : (
    <Videos {...props} aside={choice} />
  );
}
