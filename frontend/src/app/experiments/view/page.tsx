import type { Metadata } from "next";
import { Suspense } from "react";
import { PageHeader } from "@/components/layout/page-header";
import { ExperimentView, ResultsSkeleton } from "@/features/experiment-results";

export const metadata: Metadata = { title: "Experiment" };

export default function ExperimentPage() {
  return (
    <>
      <PageHeader title="Experiment">
        Variants trained with the same seeds: what can be said, and from which figures.
      </PageHeader>
      <Suspense fallback={<ResultsSkeleton />}>
        <ExperimentView />
      </Suspense>
    </>
  );
}
