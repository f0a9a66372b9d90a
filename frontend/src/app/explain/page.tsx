import type { Metadata } from "next";
import { PageHeader } from "@/components/layout/page-header";
import { ExplainEmpty } from "@/features/explain";

export const metadata: Metadata = { title: "Explain" };

export default function ExplainPage() {
  return (
    <>
      <PageHeader title="Explain">
        What each algorithm does, and what its settings change.
      </PageHeader>
      <ExplainEmpty />
    </>
  );
}
