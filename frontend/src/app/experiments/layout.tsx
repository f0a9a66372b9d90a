"use client";

import type { ReactNode } from "react";
import { useExperimentEvents } from "@/stream/experiment-events";

/** The pages of experiments, which follow the stream. */
export default function ExperimentsLayout({ children }: { children: ReactNode }) {
  useExperimentEvents();
  return children;
}
