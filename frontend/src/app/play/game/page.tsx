import type { Metadata } from "next";
import { Suspense } from "react";
import { DescribeView } from "@/screens/describe/describe-view";
import { PageHeader } from "@/shell/page-header";

export const metadata: Metadata = { title: "Describe a game" };

export default function DescribePage() {
  return (
    <Suspense fallback={<PageHeader title="Describe a game" />}>
      <DescribeView />
    </Suspense>
  );
}
