import type { Metadata } from "next";
import { Suspense } from "react";
import { Analyse, AnalyseSkeleton } from "@/screens/analyse/analyse";
import { PageHeader } from "@/shell/page-header";

export const metadata: Metadata = { title: "Analyse" };

export default function AnalysePage() {
  return (
    <>
      <PageHeader title="Analyse">
        All runs together: group them by any setting, and see which settings go with better scores.
      </PageHeader>
      <Suspense fallback={<AnalyseSkeleton />}>
        <Analyse />
      </Suspense>
    </>
  );
}
