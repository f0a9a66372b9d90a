import type { Metadata } from "next";
import { Suspense } from "react";
import { ExperimentPage } from "@/screens/experiments/experiment-page";
import { ResultsSkeleton } from "@/screens/experiments/results/experiment-view";

export const metadata: Metadata = { title: "Experiment" };

export default function Page() {
  return (
    <Suspense fallback={<ResultsSkeleton />}>
      <ExperimentPage />
    </Suspense>
  );
}
