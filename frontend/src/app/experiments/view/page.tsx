import type { Metadata } from "next";
import { Suspense } from "react";
import { ResultsSkeleton } from "@/features/experiment-results/results-skeleton";
import { ExperimentPage } from "./experiment-page";

export const metadata: Metadata = { title: "Experiment" };

export default function Page() {
  return (
    <Suspense fallback={<ResultsSkeleton />}>
      <ExperimentPage />
    </Suspense>
  );
}
