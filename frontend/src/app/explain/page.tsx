import type { Metadata } from "next";
import { Suspense } from "react";
import { PageHeader } from "@/components/layout/page-header";
import { Explain } from "@/features/explain/explain";

export const metadata: Metadata = { title: "Explain" };

export default function ExplainPage() {
  return (
    <Suspense fallback={<PageHeader title="Explain" />}>
      <Explain />
    </Suspense>
  );
}
