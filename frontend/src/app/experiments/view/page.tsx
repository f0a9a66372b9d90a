import type { Metadata } from "next";
import { Suspense } from "react";
import { PageHeader } from "@/components/layout/page-header";
import { ResultsSkeleton } from "@/features/experiment-results";
import { ExperimentPage } from "./experiment-page";

export const metadata: Metadata = { title: "Experiment" };

export default function Page() {
  return (
    <>
      <PageHeader title="Experiment">
        Variants trained with the same seeds: what can be said, and from which figures.
      </PageHeader>
      <Suspense fallback={<ResultsSkeleton />}>
        <ExperimentPage />
      </Suspense>
    </>
  );
}
