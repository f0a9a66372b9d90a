import type { Metadata } from "next";
import { Suspense } from "react";
import { Explain } from "@/screens/explain/explain";
import { PageHeader } from "@/shell/page-header";

export const metadata: Metadata = { title: "Explain" };

export default function ExplainPage() {
  return (
    <Suspense fallback={<PageHeader title="Explain" />}>
      <Explain />
    </Suspense>
  );
}
