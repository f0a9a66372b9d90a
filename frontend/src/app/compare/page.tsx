import type { Metadata } from "next";
import { PageHeader } from "@/components/layout/page-header";
import { CompareEmpty } from "@/features/compare";

export const metadata: Metadata = { title: "Compare" };

export default function ComparePage() {
  return (
    <>
      <PageHeader title="Compare">Two runs side by side: curves, figures and settings.</PageHeader>
      <CompareEmpty />
    </>
  );
}
