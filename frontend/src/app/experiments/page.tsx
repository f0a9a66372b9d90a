import type { Metadata } from "next";
import { Suspense } from "react";
import { Experiments, ExperimentsSkeleton } from "@/screens/experiments/experiments";
import { PageHeader } from "@/shell/page-header";

export const metadata: Metadata = { title: "Experiments" };

export default function ExperimentsPage() {
  return (
    <>
      <PageHeader title="Experiments">
        Compare algorithms or settings: each trains with the same seeds and is scored on new
        episodes.
      </PageHeader>
      <Suspense fallback={<ExperimentsSkeleton />}>
        <Experiments />
      </Suspense>
    </>
  );
}
