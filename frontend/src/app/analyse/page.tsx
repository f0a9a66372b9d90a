import type { Metadata } from "next";
import { Suspense } from "react";
import { Analyse, AnalyseSkeleton } from "@/screens/analyse/analyse";
import { PageHeader } from "@/shell/page-header";

export const metadata: Metadata = { title: "Analyse" };

export default function AnalysePage() {
  return (
    <>
      <PageHeader title="Analyse">
        Questions over all runs: group them by any setting, and see what goes with a better score.
      </PageHeader>
      <Suspense fallback={<AnalyseSkeleton />}>
        <Analyse />
      </Suspense>
    </>
  );
}
