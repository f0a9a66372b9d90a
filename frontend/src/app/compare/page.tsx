import type { Metadata } from "next";
import { Suspense } from "react";
import { Compare, CompareSkeleton } from "@/screens/compare/compare";
import { PageHeader } from "@/shell/page-header";

export const metadata: Metadata = { title: "Compare" };

export default function ComparePage() {
  return (
    <>
      <PageHeader title="Compare">
        Runs side by side: curves, figures, settings and what their policies do.
      </PageHeader>
      <Suspense fallback={<CompareSkeleton />}>
        <Compare />
      </Suspense>
    </>
  );
}
