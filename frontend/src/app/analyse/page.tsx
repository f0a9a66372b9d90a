import type { Metadata } from "next";
import { Suspense } from "react";
import { Analyse } from "@/features/analyse/analyse";
import { AnalyseSkeleton } from "@/features/analyse/analyse-skeleton";
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
