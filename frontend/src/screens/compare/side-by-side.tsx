"use client";

import dynamic from "next/dynamic";
import type { Comparison, Run } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { Segmented } from "@/ui/segmented";
import type { PoliciesView } from "./comparison";
import { comparesReturns } from "./same-return";
import type { SeriesStyles } from "./series-styles";
import { Videos } from "./videos";

const LiveRuns = dynamic(
  withRetry(() => import("./live-runs").then((module) => module.LiveRuns)),
  {
    ssr: false,
  },
);

const SameMoment = dynamic(
  withRetry(() => import("./same-moment").then((module) => module.SameMoment)),
  {
    ssr: false,
  },
);

const VIEWS: readonly { value: PoliciesView; label: string }[] = [
  { value: "videos", label: "Videos" },
  { value: "race", label: "Ghost race" },
  { value: "live", label: "Live" },
  { value: "step", label: "Same step" },
  { value: "return", label: "Same return" },
];

interface SideBySideProps {
  runs: readonly Run[];
  seriesStyles: SeriesStyles;
  /** Tells whether the runs can be compared by their returns. */
  comparison: Comparison;
  view: PoliciesView;
  onView: (view: PoliciesView) => void;
}

/** The policies of the compared runs side by side: on video, live, in one frame, or at the same moment of training. */
export function SideBySide({ comparison, view: chosen, onView, ...props }: SideBySideProps) {
  const comparable = comparesReturns(comparison);
  const view = chosen === "return" && !comparable ? "step" : chosen;
  const aside = (
    <Segmented
      legend="How policies are shown"
      className="flex-wrap"
      options={VIEWS.filter(({ value }) => comparable || value !== "return")}
      value={view}
      onChange={onView}
    />
  );
  if (view === "live" || view === "race")
    return <LiveRuns key={view} {...props} isRace={view === "race"} aside={aside} />;
  if (view === "videos") return <Videos {...props} aside={aside} />;
  return <SameMoment {...props} by={view} aside={aside} />;
}
